package dev.polar.inference;

/** What an engine renders a request to. */
public sealed interface Rendering {
    /** @param ids the prompt's, not to be changed */
    record Ids(int[] ids) implements Rendering {}

    /** The session's copy of the engine takes no ids, so it was not asked. */
    record NotAsked() implements Rendering {}

    /** It was asked and did not say. */
    record Failed(String why) implements Rendering {}
}
