package dev.polar.spi;

import java.util.List;
import java.util.Map;

/**
 * A session's traces.
 *
 * @param status as the session's
 * @param metadata never null
 * @param traces in order of their first completion; each may be made when it is asked for, so look at one after the other and hold none for long
 * @param error null on a COMPLETED session
 */
public record Trajectory(SessionStatus status, Map<String, Object> metadata, List<Trace> traces, String error) {
    public Trajectory {
        Check.present("status", status);
        metadata = Check.map(metadata);
        traces = Check.handedOver(traces);
    }
}
