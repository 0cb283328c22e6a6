package dev.polar.wire;

/** JSON from outside that does not fit; the message starts with the path of the key. */
public sealed class BindingException extends RuntimeException permits NotJsonException, UnknownKeyException {
    private static final long serialVersionUID = 1L;

    private final String path;

    public BindingException(String path, String problem) {
        super(path.isEmpty() ? problem : path + ": " + problem);
        this.path = path;
    }

    /** Path of the key, for example {@code runtime.prepare[2].target}; empty for the whole. */
    public String path() {
        return path;
    }
}
