/**
 * The record: what was asked and sampled in a session, as a tree of token segments of which each completion holds only what it adds.
 *
 * <p>Ids and log-probabilities come from the inference server alone and are never changed, filled or cut. An entry is in the record before the agent sees the end of its answer. Memory is
 * linear in the distinct ids; messages live in the session's file. Nothing is appended once a record is sealed.
 */
package dev.polar.capture;
