package dev.polar.spi;

/** How full a gateway's stages are; counts of sessions. */
public record NodeStageMetrics(
        int initQueueDepth,
        int initInflight,
        int readyDepth,
        int runInflight,
        int postrunQueueDepth,
        int postrunInflight) {
    public static final NodeStageMetrics IDLE = new NodeStageMetrics(0, 0, 0, 0, 0, 0);
}
