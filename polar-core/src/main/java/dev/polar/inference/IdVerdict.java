package dev.polar.inference;

/** Whether a copy of an engine generates from ids that it is given. */
public sealed interface IdVerdict {
    /**
     * It was proved: the prompt ids of an answer were the ones given.
     *
     * @param pointer where they stand in a request
     */
    record Takes(String pointer) implements IdVerdict {}

    /**
     * It does not.
     *
     * @param why what it answered instead
     */
    record Not(String why) implements IdVerdict {}

    /**
     * Nobody knows yet; it is asked again.
     *
     * @param why what kept it from being proved
     */
    record Unknown(String why) implements IdVerdict {}
}
