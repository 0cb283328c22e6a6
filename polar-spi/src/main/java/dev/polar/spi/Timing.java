package dev.polar.spi;

/** A session's four public times, in milliseconds; 0 for a stage that was not reached. Closed: public readers refuse more keys. */
public record Timing(double registerToInitQueueMs, double initMs, double runMs, double postrunMs) {
    public static final Timing ZERO = new Timing(0, 0, 0, 0);
}
