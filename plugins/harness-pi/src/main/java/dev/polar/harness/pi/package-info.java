/**
 * Pi, unmodified, in its print mode, in each of the four dialects that it speaks.
 *
 * <p>Its configuration folder ({@code PI_CODING_AGENT_DIR}) is one of the session's own, with one provider of one model: the session's address. It exits with 0 whatever happened, so the
 * events that it prints say how its run ended. It has no sub-agents, titles or other calls beside its main line; a summary of the conversation tells itself by its system prompt.
 */
package dev.polar.harness.pi;
