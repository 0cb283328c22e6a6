package dev.polar.proxy;

import dev.polar.inference.Delta;
import java.util.List;

/** The frames of one streamed answer, in order. Not thread-safe. */
interface AnswerStream {
    String contentType();

    /** The first frames, where the answer is not there yet: enough to keep the agent waiting. */
    byte[] open();

    /** What resets the agent's timers and shows nothing. */
    byte[] keepAlive();

    /** The least that can be sent, to see whether the agent is still there. */
    byte[] probe();

    /** More of an answer that is still being sampled; empty where none of it can be told yet. */
    byte[] relay(List<Delta> deltas);

    /** The whole answer with its terminal event, without what was opened and what was relayed. */
    byte[] answer(Reply reply);

    /** The error event, after which nothing follows. */
    byte[] error(Fault fault);
}
