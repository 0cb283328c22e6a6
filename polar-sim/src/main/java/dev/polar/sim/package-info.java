/**
 * A stand-in inference server with the HTTP dialects of vLLM and SGLang: a real byte-level BPE tokenizer, a ChatML template with tools, and a scripted policy where the
 * model would be.
 *
 * <p>The invariant: an answer is decided as token ids first, and everything else in it (text, tool calls, log-probabilities, usage) is derived from those ids, as in a
 * real engine. Each log-probability is a function of all ids before its token and of the token's own id ({@link dev.polar.sim.TokenLogprobs}), so whoever holds the ids
 * can prove every number.
 */
package dev.polar.sim;
