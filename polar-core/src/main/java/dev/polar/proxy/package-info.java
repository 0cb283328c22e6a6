/**
 * The model API that agents talk to: finds the session, decodes the agent's dialect, has the engine answer, records, encodes.
 *
 * <p>The agent never notices that it talks to a local policy. What it sent is kept as it came; what the policy sampled is never altered. An answer is on record before its end is written.
 */
package dev.polar.proxy;
