/**
 * Exact continuation: a turn that goes on from an earlier answer is asked with the ids that were really used and sampled, and not with a fresh rendering of what the agent sent back.
 *
 * <p>What decides is the agent's history (the messages, in a form that only meaning changes) and the engine's own rendering: where either says that something of the earlier turn was changed,
 * the turn is asked plainly. A session's state are its turns, in a tree of messages; their ids stand in the record and nowhere else. Whatever is forgotten costs a chain and nothing more.
 */
package dev.polar.continuation;
