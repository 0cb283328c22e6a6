package dev.polar.spi;

/** The runtime that an evaluator works in: the agent's, or a fresh one that was warmed beside the run. */
@FunctionalInterface
public interface RuntimeSource {
    /** The same runtime at each call; waits until it is ready. The server stops it. */
    Runtime get() throws InterruptedException;
}
