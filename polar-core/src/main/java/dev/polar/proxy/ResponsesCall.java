package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * What a Responses request leaves for its answer.
 *
 * @param key all ids of the answer are made of it
 * @param createdAt seconds since the epoch
 * @param asked the agent's request, most of which an answer repeats
 * @param tools the agent's tools
 * @param items the whole input, the context of {@code previous_response_id} in front
 * @param sealed reasoning goes out as {@code encrypted_content} too
 * @param summary reasoning goes out as a summary too
 * @param stored later requests may refer to the answer
 */
record ResponsesCall(
        String key,
        long createdAt,
        ObjectNode asked,
        ResponsesTools tools,
        List<JsonNode> items,
        boolean sealed,
        boolean summary,
        boolean stored)
        implements ChatCall.Beside {
    String responseId() {
        return "resp_" + key;
    }

    /** The id of an output item, the same in each event and in the final response. */
    String itemId(String kind, int index) {
        return kind + "_" + key + "_" + index;
    }

    static ResponsesCall of(ChatCall call) {
        return switch (call.beside()) {
            case ResponsesCall responses -> responses;
            case ChatCall.Nothing _ -> throw new IllegalArgumentException("the call was not decoded by this dialect");
        };
    }
}
