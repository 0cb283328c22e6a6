package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.spi.ApiType;

/** OpenAI Responses, for one session: its requests may refer to what the session was answered before. */
final class ResponsesDialect implements Dialect {
    private final AgentSession session;

    ResponsesDialect(AgentSession session) {
        this.session = session;
    }

    @Override
    public ApiType api() {
        return ApiType.OPENAI_RESPONSES;
    }

    @Override
    public ChatCall decode(ObjectNode body) {
        return new ResponsesDecoder(body, session).decode();
    }

    @Override
    public JsonNode encode(ChatCall call, Reply reply) {
        var output = new ResponsesItems(call, session).of(reply);
        return ResponsesEncoder.answer(call, reply, output);
    }

    @Override
    public AnswerStream stream(ChatCall call) {
        return new ResponsesStream(call, session);
    }

    @Override
    public JsonNode error(Fault fault) {
        return OpenAiErrors.encode(fault);
    }
}
