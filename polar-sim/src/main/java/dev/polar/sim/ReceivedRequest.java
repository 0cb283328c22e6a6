package dev.polar.sim;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;

/**
 * A request as it came in, for tests of what a caller sends.
 *
 * @param method HTTP method
 * @param path the path, without the query
 * @param headers by lower-case name
 * @param body the parsed body; a missing node where there was none or it was no JSON
 */
public record ReceivedRequest(String method, String path, Map<String, List<String>> headers, JsonNode body) {}
