package dev.polar.plugin;

/** Why a jar is no usable plugin; the message is the reason that is listed. */
final class PluginProblem extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PluginProblem(String reason) {
        super(reason);
    }

    PluginProblem(String reason, Throwable cause) {
        super(reason, cause);
    }
}
