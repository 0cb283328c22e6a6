package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.spi.ApiType;

/** One API that agents speak: a decoder for its requests and an encoder for its answers, whole and streamed. Thread-safe. */
interface Dialect {
    ApiType api();

    /**
     * Decodes a request; {@code body} is not changed.
     *
     * @throws RefusedException where it is malformed or asks for what cannot be served
     */
    ChatCall decode(ObjectNode body);

    /** A whole answer. */
    JsonNode encode(ChatCall call, Reply reply);

    /** The answer to a call that wants a stream. */
    AnswerStream stream(ChatCall call);

    /** An error before anything was sent. */
    JsonNode error(Fault fault);
}
