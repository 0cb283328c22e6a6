/**
 * The {@code polar} command: starts servers and simulators, submits tasks, shows what became of them.
 *
 * <p>A command that serves starts each application server as a child in a folder of its own, waits until it serves, and takes it along when it ends. Bad input of any kind
 * ends as {@link dev.polar.cli.UserException}: one line that says what, where and what to do, exit status 2. With {@code --json}, standard output holds JSON lines and
 * nothing else; progress goes to standard error.
 */
package dev.polar.cli;
