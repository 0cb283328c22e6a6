/**
 * Gemini CLI, unmodified, in its headless mode.
 *
 * <p>The program is the one on the runtime's path, else the pinned one, installed once from npm into the node's cache. Its settings, prompt, tool servers and skills are files in the session's
 * folder, which it takes for its user's home, so nothing of a session is kept here. What it did is read from the events that it prints; what its calls were, from the tools that they offer
 * and from their first words, since it sends no header that says so.
 */
package dev.polar.harness.gemini;
