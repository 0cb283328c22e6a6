package dev.polar.inference;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.inference.EngineLink.BodyReader;
import dev.polar.spi.EngineProfile;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.hc.core5.http.ClassicHttpResponse;

/** Has an engine answer, whole or in a stream, from messages or from ids. Blocking, for virtual threads. Thread-safe. */
final class Generations {
    /** A prompt's ids come in one event. */
    private static final long MAX_EVENT = 256L << 20;

    /** How engines refuse what they do not understand. */
    private static final Set<Integer> REFUSALS = Set.of(400, 422);

    private final EngineLink link;
    private final EngineProfile profile;
    private final IdInputs ids;
    private final PauseGate gate;
    private final PolicyVersions versions;
    private final AnswerParser parser;
    private final Optional<AnswerPaths> streamed;

    Generations(EngineLink link, IdInputs ids, PauseGate gate, PolicyVersions versions) {
        this.link = link;
        this.profile = link.profile();
        this.ids = ids;
        this.gate = gate;
        this.versions = versions;
        this.parser = new AnswerParser(profile.whole());
        this.streamed = profile.chunk().map(AnswerPaths::new);
    }

    boolean streams() {
        return streamed.isPresent();
    }

    /** What is asked. */
    record Question(String sessionId, ObjectNode request, int[] prompt, boolean show, Cancellation cancellation) {}

    /** What was in force when a generation started. */
    private record Asked(long arrived, long started, String version, boolean limited) {}

    /**
     * Asks once. An engine that gives a whole answer where a stream was wanted, or the other way round, is heard all the same.
     *
     * @param sink takes what comes of a stream
     * @throws EngineException where nothing of an answer came
     */
    Ended answer(Question question, Consumer<Delta> sink) {
        long arrived = System.nanoTime();
        try (var _ = gate.enter(question.cancellation)) {
            var asked = asked(arrived, question);
            var given = new Given(question);
            var heard = streamed.map(paths -> new StreamedAnswer(paths, profile.reasoningKey(), question.show, sink));
            EngineException failure = null;
            EngineAnswer got;
            try {
                got = withinWindow(
                        question.request,
                        () -> given.ask((head, in) -> heard.isPresent() && isEventStream(head)
                                ? heard.get().end(new EventStream(in, MAX_EVENT).forEach(heard.get()::event))
                                : parser.parse(in, question.show)));
                failure = got.finishReason() == null ? EngineException.unfinished() : null;
            } catch (EngineException broken) {
                if (heard.isEmpty() || !heard.get().begun()) {
                    throw broken;
                }
                failure = broken;
                got = heard.get().soFar();
                given.brokeOff(got);
            }
            return new Ended(generation(got, question, asked, given.use), failure);
        }
    }

    private Asked asked(long arrived, Question question) {
        return new Asked(arrived, System.nanoTime(), versions.current(), question.request.has("max_tokens"));
    }

    private Generation generation(EngineAnswer answer, Question question, Asked asked, IdsUse use) {
        return new Generation(
                answer,
                PolicyVersions.atStart(answer.weightVersions(), asked.version),
                PolicyVersions.atEnd(answer.weightVersions(), versions.current()),
                asked.started - asked.arrived,
                System.nanoTime() - asked.started,
                asked.limited && !question.request.has("max_tokens"),
                use);
    }

    private <T> T withinWindow(ObjectNode request, Supplier<T> ask) {
        try {
            return ask.get();
        } catch (EngineException refused) {
            if (!goesOnWithoutLimit(request, refused)) {
                throw refused;
            }
            request.remove("max_tokens");
            return ask.get();
        }
    }

    private boolean goesOnWithoutLimit(ObjectNode request, EngineException refused) {
        return refused.kind() == EngineException.Kind.OVERFLOW
                && profile.retryWithoutLimit()
                && request.has("max_tokens");
    }

    private static boolean isEventStream(ClassicHttpResponse head) {
        var type = head.getFirstHeader("Content-Type");
        return type != null && type.getValue().toLowerCase(Locale.ROOT).startsWith("text/event-stream");
    }

    /** One question and what becomes of its ids. What an engine says against the ids alone, the agent never sees. For one thread. */
    private final class Given {
        private final Question question;
        private IdsUse use = IdsUse.NONE;

        private Given(Question question) {
            this.question = question;
        }

        private EngineAnswer ask(BodyReader<EngineAnswer> reader) {
            return link.routed(question.sessionId, base -> {
                try {
                    return askOne(base, reader);
                } catch (EngineException failure) {
                    if (failure.kind() == EngineException.Kind.UNREACHABLE) {
                        ids.away(base);
                    }
                    throw failure;
                }
            });
        }

        private EngineAnswer askOne(String base, BodyReader<EngineAnswer> reader) {
            if (question.prompt == null) {
                return plain(base, reader);
            }
            if (!(ids.known(base) instanceof IdVerdict.Takes takes)) {
                use = IdsUse.NOT_SENT;
                return plain(base, reader);
            }
            if (!ids.inRange(base, question.prompt)) {
                use = IdsUse.OUT_OF_RANGE;
                return plain(base, reader);
            }
            return fromIds(base, takes.pointer(), reader);
        }

        private EngineAnswer fromIds(String base, String pointer, BodyReader<EngineAnswer> reader) {
            EngineAnswer answer;
            try {
                var body = IdRequests.generation(question.request, pointer, question.prompt);
                answer = link.chat(base, body, question.cancellation, reader);
            } catch (EngineException refused) {
                if (!REFUSALS.contains(refused.status()) || goesOnWithoutLimit(question.request, refused)) {
                    throw refused;
                }
                use = IdsUse.REFUSED;
                var plain = plain(base, reader);
                if (refused.kind() == EngineException.Kind.REFUSED) {
                    ids.off(
                            base,
                            "it answered ids at " + pointer + " with " + refused.status() + ": "
                                    + refused.getMessage());
                }
                return plain;
            }
            check(answer);
            if (use == IdsUse.NOT_TAKEN && !(answer.cutOff() && answer.promptIds() == null)) {
                ids.off(base, IdInputs.notTaken(pointer, answer));
            }
            seen(base, answer);
            return answer;
        }

        private EngineAnswer plain(String base, BodyReader<EngineAnswer> reader) {
            var answer = link.chat(base, JsonTree.write(question.request), question.cancellation, reader);
            seen(base, answer);
            return answer;
        }

        private void seen(String base, EngineAnswer answer) {
            ids.seen(base, answer.promptIds());
            ids.seen(base, answer.sampledIds());
        }

        /** What had come of it may be without its ids: no proof of anything. */
        private void brokeOff(EngineAnswer answer) {
            if (question.prompt != null && use == IdsUse.NONE) {
                check(answer);
            }
        }

        private void check(EngineAnswer answer) {
            use = Arrays.equals(answer.promptIds(), question.prompt) ? IdsUse.TAKEN : IdsUse.NOT_TAKEN;
        }
    }
}
