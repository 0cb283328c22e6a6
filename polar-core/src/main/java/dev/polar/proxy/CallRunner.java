package dev.polar.proxy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.continuation.Answered;
import dev.polar.continuation.ExactContinuation;
import dev.polar.continuation.Plan;
import dev.polar.inference.Cancellation;
import dev.polar.inference.Ended;
import dev.polar.inference.EngineException;
import dev.polar.inference.HelperModels;
import dev.polar.inference.InferenceClient;
import java.util.Map;

/** Gets answers and puts them on record. Thread-safe. */
final class CallRunner {
    private final InferenceClient client;
    private final HelperModels helpers;
    private final EngineRequests requests;
    private final ExactContinuation continuation;
    private final boolean streaming;

    /** @param streaming true where answers are relayed while they are sampled, to those who want a stream */
    CallRunner(
            InferenceClient client,
            HelperModels helpers,
            EngineRequests requests,
            ExactContinuation continuation,
            boolean streaming) {
        this.client = client;
        this.helpers = helpers;
        this.requests = requests;
        this.continuation = continuation;
        this.streaming = streaming;
    }

    /**
     * One call: its answer is on record when this returns. An answer that the engine cut off for new weights is recorded and never returned: the call is asked again.
     *
     * <p>An answer without a finish reason is on record and is an error, never an answer. Where answers are streamed, what has come is on {@code deltas} before: one that breaks off then is on record
     * the same way, and so is one that the engine cut off when the agent had seen some of it. Helper models are always waited for.
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
        Plan plan = null;
        for (boolean again = false; ; again = true) {
            var capture = new Capture(session, call, original, request, asked, headers);
            Ended ended;
            try {
                plan = plan == null
                        ? continuation.plan(session.turns(), session.sessionId(), request.body(), cancellation)
                        : plan;
                ended = generate(session, call, request, plan, again, cancellation, deltas);
            } catch (EngineException failure) {
                session.recorder().failedCall();
                throw failed(session, capture, sequence, failure);
            }
            var generation = ended.generation();
            var reply = Reply.of(generation.answer());
            var made = plan.after(generation.ids());
            var id = capture.record(sequence, generation, reply, made);
            if (ended.failure() != null) {
                throw failed(session, capture, sequence, ended.failure());
            }
            if (!generation.answer().cutOff()) {
                continuation.answered(session.turns(), made, answered(id, call, reply));
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

    /** What the agent gets: later requests bring it back. */
    private static Answered answered(String id, ChatCall call, Reply reply) {
        var calls = reply.toolCallsFor(call).stream()
                .map(made -> new Answered.Call(made.id(), made.name(), made.arguments()))
                .toList();
        return new Answered(
                id,
                reply.answer().promptIds(),
                reply.answer().sampledIds(),
                reply.text() == null ? "" : reply.text(),
                calls);
    }

    private Ended generate(
            AgentSession session,
            ChatCall call,
            EngineRequest request,
            Plan plan,
            boolean again,
            Cancellation cancellation,
            DeltaQueue deltas) {
        boolean show = call.wishes().logprobs();
        if (again) {
            client.backOff(cancellation);
        }
        return deltas == null
                ? client.generate(session.sessionId(), request.body(), plan.prompt(), show, cancellation)
                : client.stream(session.sessionId(), request.body(), plan.prompt(), show, cancellation, deltas);
    }

    private static EngineException failed(
            AgentSession session, Capture capture, long sequence, EngineException failure) {
        session.failed(FailedCall.of(capture.facts(null, sequence), failure));
        return failure;
    }
}
