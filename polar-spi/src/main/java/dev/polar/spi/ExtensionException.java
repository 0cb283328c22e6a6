package dev.polar.spi;

/**
 * What an extension throws where it cannot do what it was asked. The message stands in the session's {@code error}: it names the thing, the value and the remedy, and holds no secret.
 */
public class ExtensionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Category category;

    public ExtensionException(Category category, String message) {
        super(message);
        this.category = category;
    }

    public ExtensionException(Category category, String message, Throwable cause) {
        super(message, cause);
        this.category = category;
    }

    public Category category() {
        return category;
    }

    /** Whose matter a failure is. */
    public enum Category {
        /** The task asks for something that is wrong or that this node cannot do. */
        REQUEST,
        /** The agent program failed. */
        AGENT,
        /** Something around the agent failed: a disk, a container engine, a package registry. Never the model's fault. */
        INFRASTRUCTURE,
        /** A budget ran out. */
        TIMEOUT
    }
}
