package dev.polar.spi;

import java.util.Map;

/**
 * Which session an extension works for.
 *
 * @param sessionId the attempt's
 * @param taskId its task's
 * @param nodeId the node that runs it
 * @param metadata the task's
 */
public record SessionInfo(String sessionId, String taskId, String nodeId, Map<String, Object> metadata) {}
