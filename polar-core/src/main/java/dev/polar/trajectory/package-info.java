/**
 * From a record to what a trainer gets: builders, the invariants that their output is held to, rewards, and the trajectory with its metadata.
 *
 * <p>Every recorded completion stands in exactly one span of one trace, or is excluded by name. A sampled token trains once, with its own log-probability, in the context that it was
 * sampled in (or its span says otherwise). Builders read the record and call nothing. A broken invariant is never a quiet wrong trace: it is an exception that carries its number.
 */
package dev.polar.trajectory;
