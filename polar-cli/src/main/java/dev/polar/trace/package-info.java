/**
 * A session's traces for people: what {@code polar trace} shows.
 *
 * <p>All that is shown stands in the result. Two things can be asked for besides, and are done without where nobody answers: what the ids say (from the engine, else from the token texts that the
 * record has), and the prompt of a call whose tail was merged although it was not exact (from the record). Text goes through a {@link dev.polar.trace.Palette}, so that colours are on a terminal
 * alone; what they say is also said without them.
 */
package dev.polar.trace;
