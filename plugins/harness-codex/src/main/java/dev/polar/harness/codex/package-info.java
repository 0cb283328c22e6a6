/**
 * Codex, unmodified, in its {@code exec} mode.
 *
 * <p>Its configuration folder ({@code CODEX_HOME}) is one of the session's own, and says that there is one model provider: the session's address. Whose call a call was stands in headers that
 * it sends for its maker's telemetry; how its run ended is the last of the events that it prints, which its exit status agrees with. What a person configured on the machine is not seen.
 */
package dev.polar.harness.codex;
