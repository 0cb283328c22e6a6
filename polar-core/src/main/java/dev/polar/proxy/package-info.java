/**
 * The model API that agents talk to: finds the session, decodes the agent's dialect, has the engine answer, records, encodes.
 *
 * <p>The agent never notices that it talks to a local policy. What it sent is kept as it came; what the policy sampled is never altered. An answer is on record before its end is written.
 * Relayed answers ({@code inference.streaming: native}) go through the engine's thread, a {@link dev.polar.proxy.DeltaQueue} and the caller's own thread, which alone writes; what had come of one that breaks off is on
 * record as undelivered, and its stream ends with an error.
 */
package dev.polar.proxy;
