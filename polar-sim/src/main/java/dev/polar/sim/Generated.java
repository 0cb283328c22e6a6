package dev.polar.sim;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * One generation that ran to its end, for tests of what a model was really given.
 *
 * @param request the body that asked for it
 * @param promptIds what the model was given, rendered or taken from the request
 * @param sampledIds one list for each choice
 */
public record Generated(JsonNode request, int[] promptIds, List<int[]> sampledIds) {}
