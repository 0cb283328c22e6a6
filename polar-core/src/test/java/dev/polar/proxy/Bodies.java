package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.inference.JsonTree;
import dev.polar.spi.Sampling;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

/** JSON in tests, with single quotes for double ones. */
final class Bodies {
    private Bodies() {}

    static ObjectNode object(String json) {
        return (ObjectNode) tree(json);
    }

    static JsonNode tree(String json) {
        return parsed(json.replace('\'', '"'));
    }

    /** As it is. */
    static JsonNode parsed(String json) {
        try {
            return JsonTree.read(json);
        } catch (IOException notJson) {
            throw new UncheckedIOException(json, notJson);
        }
    }

    static String text(JsonNode tree) {
        return new String(JsonTree.write(tree), java.nio.charset.StandardCharsets.UTF_8);
    }

    /** A Messages request with these messages. */
    static ChatCall messages(String messages) {
        return new MessagesDialect().decode(object("{'model':'m','max_tokens':10,'messages':" + messages + "}"));
    }

    /** A Chat request with these messages. */
    static ChatCall chat(String messages) {
        return new ChatDialect().decode(object("{'model':'m','messages':" + messages + "}"));
    }

    /** A Responses request of these keys, in a session of its own. */
    static ChatCall responses(String keys) {
        return responses(keys, session());
    }

    static ChatCall responses(String keys, AgentSession session) {
        return new ResponsesDialect(session).decode(object("{'model':'m'," + keys + "}"));
    }

    static AgentSession session() {
        return new AgentSession("s1", "t1", false, new MemoryRecorder(), Sampling.NONE, Map.of());
    }
}
