/**
 * Qwen Code, unmodified, run without a terminal.
 *
 * <p>Its configuration is a folder of the session's own ({@code QWEN_HOME}); the prompt goes in on standard input, and its events come out as JSON lines. It sends no header that says who
 * calls: a call's role is read from its system prompt, its tools and its last user message alone.
 */
package dev.polar.harness.qwen;
