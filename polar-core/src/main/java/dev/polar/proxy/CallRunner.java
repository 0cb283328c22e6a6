package dev.polar.proxy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.inference.Cancellation;
import dev.polar.inference.EngineException;
import dev.polar.inference.HelperModels;
import dev.polar.inference.InferenceClient;
import dev.polar.inference.Streamed;
import java.util.Map;

/** Gets answers and puts them on record. Thread-safe. */
final class CallRunner {
    private final InferenceClient client;
    private final HelperModels helpers;
    private final EngineRequests requests;
    private final boolean streaming;

    /** @param streaming true where answers are relayed while they are sampled, to those who want a stream */
    CallRunner(InferenceClient client, HelperModels helpers, EngineRequests requests, boolean streaming) {
        this.client = client;
        this.helpers = helpers;
        this.requests = requests;
        this.streaming = streaming;
    }

    /**
     * One call: its answer is on record when this returns. An answer that the engine cut off for new weights is recorded and never returned: the call is asked again.
     *
     * <p>Where answers are streamed, what has come is on {@code deltas} before. An answer that breaks off then is on record without a finish reason, and is an error; so is one that the engine
     * cut off when the agent had seen some of it. Helper models are always waited for.
     *
     * @param deltas null where the whole answer is wanted
     * @throws EngineException where there is no answer; where nothing of it is on record, the call was counted as failed
     */
    AnsweredCall answer(
            AgentSession session,
            ChatCall call,
            ObjectNode original,
            long sequence,
            Map<String, String> headers,
            Cancellation cancellation,
            DeltaQueue deltas) {
        var helper = helpers.served(call.model());
        if (helper.isPresent()) {
            var request = requests.forHelper(call, helper.get(), session);
            return new AnsweredCall(
                    null,
                    Reply.of(helpers.generate(
                            call.model(), request, call.wishes().logprobs(), cancellation)));
        }
        try {
            return policy(session, call, original, sequence, headers, cancellation, streaming ? deltas : null);
        } finally {
            session.countDropped(call.dropped());
        }
    }

    private AnsweredCall policy(
            AgentSession session,
            ChatCall call,
            ObjectNode original,
            long sequence,
            Map<String, String> headers,
            Cancellation cancellation,
            DeltaQueue deltas) {
        var asked = call.maxTokens();
        var request = requests.prepare(call, session);
        if (deltas != null) {
            requests.stream(request);
        }
        for (boolean again = false; ; again = true) {
            var capture = new Capture(session, call, original, request, asked, headers);
            Streamed ended;
            try {
                ended = generate(session, call, request, again, cancellation, deltas);
            } catch (EngineException failure) {
                session.recorder().failedCall();
                throw failed(session, capture, sequence, failure);
            }
            var generation = ended.generation();
            var reply = Reply.of(generation.answer());
            var id = capture.record(sequence, generation, reply);
            if (ended.failure() != null) {
                throw failed(session, capture, sequence, ended.failure());
            }
            if (!generation.answer().cutOff()) {
                return new AnsweredCall(id, reply);
            }
            if (deltas != null && !deltas.withdraw()) {
                throw failed(session, capture, sequence, EngineException.cutOff());
            }
            sequence = session.recorder().nextSequence();
            // the record has the body that was sent, and nobody changes it any more
            request = request.again();
        }
    }

    private Streamed generate(
            AgentSession session,
            ChatCall call,
            EngineRequest request,
            boolean again,
            Cancellation cancellation,
            DeltaQueue deltas) {
        boolean show = call.wishes().logprobs();
        if (again) {
            client.backOff(cancellation);
        }
        return deltas == null
                ? new Streamed(client.generate(session.sessionId(), request.body(), show, cancellation), null)
                : client.stream(session.sessionId(), request.body(), null, show, cancellation, deltas);
    }

    private static EngineException failed(
            AgentSession session, Capture capture, long sequence, EngineException failure) {
        session.failed(FailedCall.of(capture.facts(null, sequence), failure));
        return failure;
    }
}
