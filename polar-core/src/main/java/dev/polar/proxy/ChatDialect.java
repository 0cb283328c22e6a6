package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.spi.ApiType;

/** OpenAI Chat Completions. */
final class ChatDialect implements Dialect {
    @Override
    public ApiType api() {
        return ApiType.OPENAI_CHAT;
    }

    @Override
    public ChatCall decode(ObjectNode body) {
        return new ChatDecoder(body).decode();
    }

    @Override
    public JsonNode encode(ChatCall call, Reply reply) {
        return ChatEncoder.whole(call, reply);
    }

    @Override
    public AnswerStream stream(ChatCall call) {
        return new ChatStream(call);
    }

    @Override
    public JsonNode error(Fault fault) {
        return OpenAiErrors.encode(fault);
    }
}
