package dev.polar.continuation;

import java.util.Locale;

/** Why a turn does not go on from an earlier one. On the wire in lower case. */
public enum Reason {
    /** The node, or its engine, is asked plainly. */
    PLAIN,
    /** The session's copy of the engine takes no ids. */
    BACKEND,
    /** Earlier answers of the session are not known: they were given before the gateway started, or while it was asked plainly. */
    FORGOTTEN,
    /** Some message holds an image. */
    IMAGES,
    /** The engine did not say how it renders the request. */
    NOT_RENDERED,
    /** No earlier turn has fewer messages: a retry of the first turn, a shortened history, another agent's start. */
    NOT_LONGER,
    /** The tools are others. */
    TOOLS_CHANGED,
    /** What else the template sees is other. */
    TEMPLATE_CHANGED,
    /** A message before the answer was changed. */
    HISTORY_EDITED,
    /** The answer was changed or left out. */
    ANSWER_EDITED,
    /** The template renders the history otherwise than before. */
    RENDERED_ANEW,
    /** No id is known that ends a turn, or the rendering has none where the answer ends. */
    NO_END_OF_TURN,
    /** The template shows another text than was sampled, for it leaves out the reasoning. */
    REASONING_DROPPED,
    /** The template shows another text than was sampled. */
    OTHER_TEXT,
    /** What text the ids stand for cannot be told. */
    NO_TEXTS,
    /** An id is higher than any that the engine's copy has given. */
    OUT_OF_RANGE,
    /** The engine refused the ids, and was asked plainly. */
    REFUSED,
    /** The engine used another prompt than the ids given. */
    NOT_TAKEN;

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }
}
