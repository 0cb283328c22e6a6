/**
 * What the harnesses of agents that come from npm share: the program and its version, the session's files, tool servers and skills, the events that an agent prints.
 *
 * <p>A library, no plugin: it stands in the jar of each plugin that uses it, and sees the SPI and Jackson alone. Nothing here keeps anything of a session: what must be known later is a file
 * in the session's own folder. Installed programs are shared by all sessions and written by none.
 */
package dev.polar.harness.support;
