/**
 * OpenCode, unmodified, run without a terminal.
 *
 * <p>It speaks four dialects, each by a library that is built into it, so that nothing is fetched for them; {@code settings.api} chooses. Its configuration is in the session's home, the prompt
 * goes in on standard input, and its events come out as JSON lines. Its headers say which of its sessions calls, and which session that one belongs to.
 */
package dev.polar.harness.opencode;
