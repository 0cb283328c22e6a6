package dev.polar.spi;

/** A value that a record refuses. The message names the value and the remedy; {@link #path()} names the key, relative to the record that threw. */
public final class InvalidValueException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final String path;

    /**
     * @param path the key in its JSON spelling, for example {@code num_samples} or {@code prepare[2].target}
     * @param problem what is wrong with it and what was expected
     */
    public InvalidValueException(String path, String problem) {
        super(path + ": " + problem);
        this.path = path;
    }

    /** The key in its JSON spelling, relative to the record that refused it. */
    public String path() {
        return path;
    }
}
