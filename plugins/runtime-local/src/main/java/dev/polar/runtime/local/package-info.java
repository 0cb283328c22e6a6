/**
 * Sessions as processes of this machine.
 *
 * <p>Each command runs in a process group, an environment and, where bubblewrap works, a view of the file system of its own: the session's folder is {@code /polar/session}, {@code /tmp} is
 * private, the rest is read-only. Every process carries a label in its environment that names the runtime; the label is journalled before the first of them starts, so that whoever comes after
 * a crash finds them. When a command returns, all that carried its label is gone.
 */
package dev.polar.runtime.local;
