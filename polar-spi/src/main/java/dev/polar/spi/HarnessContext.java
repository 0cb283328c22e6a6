package dev.polar.spi;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * What a harness gets.
 *
 * @param session which session
 * @param agent the task's {@code agent}
 * @param settings {@code agent.settings}, bound
 * @param instruction the task's
 * @param runtime started and prepared
 * @param endpoint the model API; its key opens when RUN starts
 * @param env what the session's processes find in their environment; the server adds it to each command of {@link Harness#commands} itself
 * @param cacheDir folder on the node that all sessions share, for programs that the harness installs; a harness keeps to a sub-folder of its own name
 * @param remaining what is left of the budget
 */
public record HarnessContext<S extends Record>(
        SessionInfo session,
        AgentSpec agent,
        S settings,
        String instruction,
        Runtime runtime,
        ModelEndpoint endpoint,
        Map<String, String> env,
        Path cacheDir,
        Duration remaining) {}
