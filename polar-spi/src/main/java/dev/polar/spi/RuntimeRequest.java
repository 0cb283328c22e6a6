package dev.polar.spi;

import java.nio.file.Path;
import java.util.Map;

/**
 * What a runtime is started for.
 *
 * @param session which session
 * @param purpose {@code run} or {@code eval}: a session may have one of each
 * @param spec the sandbox wanted; limits were checked against {@link RuntimeProvider#enforces()}
 * @param stateDir folder on the node for this provider's journal: one entry for each runtime, written before it is made and removed after it is gone
 * @param sessionDir folder on the node, made for this session and purpose; it appears as {@code /polar/session} in the runtime and is removed by the server
 * @param cacheDir folder on the node with the programs that harnesses installed ({@link HarnessContext#cacheDir()}): a runtime that shares the node's files shows it, read-only, under its own
 *     path; what else the server keeps, it hides where it can
 * @param env the environment of all its processes
 */
public record RuntimeRequest(
        SessionInfo session,
        String purpose,
        RuntimeSpec spec,
        Path stateDir,
        Path sessionDir,
        Path cacheDir,
        Map<String, String> env) {}
