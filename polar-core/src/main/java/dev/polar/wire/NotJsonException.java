package dev.polar.wire;

/** A body from outside that is no JSON at all. */
public final class NotJsonException extends BindingException {
    private static final long serialVersionUID = 1L;

    public NotJsonException(String problem) {
        super("", problem);
    }
}
