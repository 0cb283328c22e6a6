package dev.polar.inference;

/** What became of the ids that a generation was to start from. */
public enum IdsUse {
    /** None were given. */
    NONE,
    /** The answer's prompt ids are these. */
    TAKEN,
    /** The answer's prompt ids are others, or none: the engine rendered the messages. */
    NOT_TAKEN,
    /** The engine refused them, and was asked again with the messages alone. */
    REFUSED,
    /** The copy that answered is not known to take ids, so they were not sent. */
    NOT_SENT,
    /** An id is higher than any that this copy has given, so they were not sent. */
    OUT_OF_RANGE
}
