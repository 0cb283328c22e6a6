/**
 * Claude Code, unmodified, in its print mode.
 *
 * <p>The program is the one on the runtime's path, else the pinned one, installed once from npm into the node's cache. Its configuration, prompt and tool servers are files in the session's
 * folder, so nothing of a session is kept here. What it did is read from the events that it prints; what its calls were, from their headers and first words.
 */
package dev.polar.harness.claude;
