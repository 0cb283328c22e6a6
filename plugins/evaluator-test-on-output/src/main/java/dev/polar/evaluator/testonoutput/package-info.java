/**
 * Scores a session by what a test command prints once the agent's changes are in place.
 *
 * <p>The changes are the difference between two snapshots of the tree, one at INIT's end and one after RUN, made by git in folders of its own: the task's repository, if it is one, is neither
 * read for them nor written to. The score is 1.0 only where the printed results are exactly the expected ones; no printed result at all is told apart from failed tests.
 */
package dev.polar.evaluator.testonoutput;
