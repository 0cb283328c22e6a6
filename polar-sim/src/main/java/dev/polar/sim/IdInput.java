package dev.polar.sim;

/** What a backend does with a prompt that is given as ids instead of messages. Only a taken one is as the engines are today; the others are older or younger versions, or what stands before them. */
public enum IdInput {
    /** Generates from them. */
    TAKEN,
    /** Renders the messages as if there were no ids. */
    IGNORED,
    /** Answers a request that has the key with 400. */
    REFUSED
}
