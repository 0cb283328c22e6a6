package dev.polar.proxy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.inference.Cancellation;
import dev.polar.inference.EngineException;
import dev.polar.inference.HelperModels;
import dev.polar.inference.InferenceClient;
import java.util.Map;

/** Gets answers and puts them on record. Thread-safe. */
final class CallRunner {
    private final InferenceClient client;
    private final HelperModels helpers;
    private final EngineRequests requests;

    CallRunner(InferenceClient client, HelperModels helpers, EngineRequests requests) {
        this.client = client;
        this.helpers = helpers;
        this.requests = requests;
    }

    /**
     * One call: its answer is on record when this returns. An answer that the engine cut off for new weights is recorded and never returned: the call is asked again.
     *
     * @throws EngineException where there is no answer; the call was counted as failed
     */
    AnsweredCall answer(
            AgentSession session,
            ChatCall call,
            ObjectNode original,
            long sequence,
            Map<String, String> headers,
            Cancellation cancellation) {
        var helper = helpers.served(call.model());
        if (helper.isPresent()) {
            var request = requests.forHelper(call, helper.get(), session);
            return new AnsweredCall(
                    null,
                    Reply.of(helpers.generate(
                            call.model(), request, call.wishes().logprobs(), cancellation)));
        }
        try {
            return policy(session, call, original, sequence, headers, cancellation);
        } catch (EngineException failure) {
            session.recorder().failedCall();
            throw failure;
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
            Cancellation cancellation) {
        var asked = call.maxTokens();
        var request = requests.prepare(call, session);
        var capture = new Capture(session, call, original, request, asked, headers);
        while (true) {
            var generation = client.generate(
                    session.sessionId(), request.body(), call.wishes().logprobs(), cancellation);
            var reply = Reply.of(generation.answer());
            var id = capture.record(sequence, generation, reply);
            if (!generation.answer().cutOff()) {
                return new AnsweredCall(id, reply);
            }
            client.backOff(cancellation);
            sequence = session.recorder().nextSequence();
            // the record has the body that was sent, and nobody changes it any more
            request = request.again();
            capture = new Capture(session, call, original, request, asked, headers);
        }
    }
}
