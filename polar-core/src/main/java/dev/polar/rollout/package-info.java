/**
 * The rollout server: takes tasks, gives their samples to nodes, gathers the results, owes the trainer a callback.
 *
 * <p>All state is in the database; memory holds nothing that a restart would lose. A sample has one row per attempt and at most one attempt that counts. Every change of a task's sessions is made
 * under the lock of the task's row, so a task ends exactly once. Results are files, streamed in and out; a row points at one only after it is whole.
 */
package dev.polar.rollout;
