/**
 * Session results as rows of training files: what {@code polar export} writes.
 *
 * <p>A trace becomes at most one row. Results are read as a stream, one trace at a time, and written as they come: neither a task nor a session has to fit into memory, only a trace does. Ids and
 * log-probabilities are never computed, only cut out of the trace; whatever does not become a row is counted under a reason. A format that promises more than a trace can hold (all tails exact, one
 * message per sampled answer) refuses it by name and never fills the gap.
 */
package dev.polar.export;
