package dev.polar.sim;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;

/** What differs between the engines: checks, shapes of answers and errors, endpoints of their own. Thread-safe. */
interface Dialect {
    /** Adds the engine's endpoints besides chat. */
    void addRoutes(Routes routes);

    /** The body of an error that comes before an answer has begun. */
    ObjectNode error(ApiError error);

    /** The body of an error inside a stream. */
    ObjectNode streamError(ApiError error);

    /** What the engine says when it dies under a request. */
    ApiError engineDied();

    /** The request of {@code call}, read and checked. */
    ChatRequest read(Call call);

    /** The request's id, from its headers or body or made up. */
    String requestId(Call call, ChatRequest request);

    /** The ids that the model is given: rendered and tokenized, or those that the request brings. */
    int[] promptIds(ChatRequest request);

    /** The whole answer to a generation that has ended. */
    ObjectNode whole(Generation generation);

    /** A writer for a streamed answer. */
    Chunks chunks(Generation generation, Call call);

    /** Writes the events of one streamed answer. */
    interface Chunks {
        /** Before the first token. */
        void begin(EventStream out) throws IOException;

        /** A token of the choice {@code index}, or its end. */
        void step(EventStream out, int index, Step step) throws IOException;

        /** After the last choice has ended. */
        void end(EventStream out) throws IOException;
    }
}
