/**
 * The engines: how they are asked, what they answered, which replica a session talks to, and when a generation may start.
 *
 * <p>An engine is declared by its profile, not coded. An answer is parsed once, as a stream: ids and log-probabilities go into primitive arrays exactly as the engine's text says, the rest into
 * a small tree. A generation passes the {@link dev.polar.inference.PauseGate} before it starts and is counted until it has ended, so that a pause that reports as done has nothing running.
 */
package dev.polar.inference;
