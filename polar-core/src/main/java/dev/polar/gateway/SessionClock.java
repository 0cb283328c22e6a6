package dev.polar.gateway;

import dev.polar.spi.Timing;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** A session's times. Used by the session's own thread alone. */
final class SessionClock {
    /** What is measured. */
    enum Span {
        REGISTER_TO_INIT_QUEUE,
        INIT,
        READY_QUEUE,
        RUN,
        POSTRUN_QUEUE,
        POSTRUN,
        CONTAINER_START,
        PREPARE,
        AGENT_SETUP,
        AGENT_EXEC,
        BUILD,
        EVAL,
        RUNTIME_STOP;

        private String key() {
            return name().toLowerCase(java.util.Locale.ROOT) + "_ms";
        }
    }

    private static final java.util.List<Span> DETAIL = java.util.List.of(
            Span.READY_QUEUE,
            Span.POSTRUN_QUEUE,
            Span.CONTAINER_START,
            Span.PREPARE,
            Span.AGENT_SETUP,
            Span.AGENT_EXEC,
            Span.BUILD,
            Span.EVAL,
            Span.RUNTIME_STOP);

    private final long start = System.nanoTime();
    private final Map<Span, Long> nanos = new EnumMap<>(Span.class);

    /** A measurement that runs until it is closed. */
    interface Running extends AutoCloseable {
        @Override
        void close();
    }

    /** Measures from now on; several of one span add up. */
    Running start(Span span) {
        long begin = System.nanoTime();
        return () -> add(span, Duration.ofNanos(System.nanoTime() - begin));
    }

    void add(Span span, Duration duration) {
        nanos.merge(span, duration.toNanos(), Long::sum);
    }

    /** The four public times. */
    Timing timing() {
        return new Timing(
                millis(Span.REGISTER_TO_INIT_QUEUE), millis(Span.INIT), millis(Span.RUN), millis(Span.POSTRUN));
    }

    /** The finer ones, by their public names; 0 for what was not reached. */
    Map<String, Object> detail() {
        var detail = new LinkedHashMap<String, Object>();
        DETAIL.forEach(span -> detail.put(span.key(), millis(span)));
        detail.put("e2e_ms", millis(System.nanoTime() - start));
        return detail;
    }

    private double millis(Span span) {
        return millis(nanos.getOrDefault(span, 0L));
    }

    private static double millis(long nanos) {
        return Math.round(nanos / 1e3) / 1e3;
    }
}
