/**
 * An agent that is one shell command.
 *
 * <p>The task brings the command; the model API, the key and the session's folders are in its environment. It succeeds by exit status 0, and speaks whatever dialect it likes.
 */
package dev.polar.harness.shell;
