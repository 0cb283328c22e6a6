package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.spi.ApiType;

/** Anthropic Messages. */
final class MessagesDialect implements Dialect {
    @Override
    public ApiType api() {
        return ApiType.ANTHROPIC;
    }

    @Override
    public ChatCall decode(ObjectNode body) {
        return new MessagesDecoder(body).decode();
    }

    @Override
    public JsonNode encode(ChatCall call, Reply reply) {
        return MessagesEncoder.whole(call, reply);
    }

    @Override
    public AnswerStream stream(ChatCall call) {
        return new MessagesStream(call);
    }

    @Override
    public JsonNode error(Fault fault) {
        return MessagesErrors.encode(fault);
    }
}
