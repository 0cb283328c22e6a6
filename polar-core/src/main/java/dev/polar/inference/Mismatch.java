package dev.polar.inference;

/**
 * Something that a copy of an engine plainly is not, though its node's configuration says so.
 *
 * @param url the copy's
 * @param text what it is, and the remedy
 */
public record Mismatch(String url, Matter matter, String text) {
    /** What is not so. */
    public enum Matter {
        /** {@code inference.engine}. */
        ENGINE,
        /** {@code model_served}. */
        MODEL
    }
}
