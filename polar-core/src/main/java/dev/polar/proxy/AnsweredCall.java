package dev.polar.proxy;

/**
 * An answer that is on record.
 *
 * @param completionId null where it has no record: a helper model's
 */
record AnsweredCall(String completionId, Reply reply) {}
