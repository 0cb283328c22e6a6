package dev.polar.sim;

/** What a request lets the model do with its tools. */
sealed interface ToolChoice {
    /** No calls; tools stay in the prompt. */
    record None() implements ToolChoice {}

    /** Calls where the model likes. */
    record Auto() implements ToolChoice {}

    /** At least one call of any tool. */
    record Required() implements ToolChoice {}

    /** A call of the tool {@code name}. */
    record Named(String name) implements ToolChoice {}

    /** A grammar makes the model call a tool. */
    default boolean forced() {
        return this instanceof Required || this instanceof Named;
    }
}
