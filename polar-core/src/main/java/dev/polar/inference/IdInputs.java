package dev.polar.inference;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.spi.EngineProfile.IdInput;
import dev.polar.wire.Json;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which copies of an engine take ids. Each is proved by itself, once it can be reached: it is given ids that no rendering of the request has, and must say that these were its prompt. One that later answers otherwise is
 * not given any more; one that was away is proved anew. Thread-safe, and no lock is held while an engine is asked.
 */
final class IdInputs {
    private static final Logger LOG = LoggerFactory.getLogger(IdInputs.class);
    private static final long ASK_AGAIN = 5_000_000_000L;
    private static final String UNASKED = "it was not asked yet";

    private final EngineLink link;
    private final PauseGate gate;
    private final Optional<IdInput> declared;
    private final IdRequests requests;
    private final AnswerParser parser;
    private final Map<String, Probe> probes = new ConcurrentHashMap<>();
    /** The highest id that a copy has given. */
    private final Map<String, Integer> highest = new ConcurrentHashMap<>();

    IdInputs(EngineLink link, PauseGate gate) {
        this.link = link;
        this.gate = gate;
        this.declared = link.profile().continuation();
        this.requests = declared.map(IdRequests::new).orElse(null);
        this.parser = new AnswerParser(link.profile().whole());
    }

    /** A copy that is asked once, by whoever comes first; the others wait for what it says. */
    private static final class Probe {
        private final FutureTask<IdVerdict> task;
        private volatile long doneAt;

        private Probe(Callable<IdVerdict> ask) {
            task = new FutureTask<>(ask) {
                @Override
                protected void done() {
                    doneAt = System.nanoTime();
                }
            };
        }

        private static Probe decided(IdVerdict verdict) {
            var probe = new Probe(() -> verdict);
            probe.task.run();
            return probe;
        }

        private IdVerdict result() {
            task.run();
            try {
                return task.get();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                return new IdVerdict.Unknown(UNASKED);
            } catch (ExecutionException failed) {
                return new IdVerdict.Unknown(String.valueOf(failed.getCause().getMessage()));
            }
        }

        private IdVerdict known() {
            return task.isDone() ? result() : new IdVerdict.Unknown(UNASKED);
        }

        private boolean stale() {
            return task.isDone() && result() instanceof IdVerdict.Unknown && System.nanoTime() - doneAt > ASK_AGAIN;
        }
    }

    /** What is known of a copy; asks it where nothing is, so it can wait. */
    IdVerdict verdict(String base) {
        if (declared.isEmpty()) {
            return undeclared();
        }
        return probes.compute(
                        base,
                        (_, before) ->
                                before == null || before.stale() ? new Probe(() -> warned(base, prove(base))) : before)
                .result();
    }

    /** The same without asking. */
    IdVerdict known(String base) {
        if (declared.isEmpty()) {
            return undeclared();
        }
        var probe = probes.get(base);
        return probe == null ? new IdVerdict.Unknown(UNASKED) : probe.known();
    }

    private static IdVerdict undeclared() {
        return new IdVerdict.Not("its plugin declares no way to give it ids");
    }

    /** False where it is known that none of these takes any. */
    boolean possible(List<String> bases) {
        return declared.isPresent() && bases.stream().anyMatch(base -> !(known(base) instanceof IdVerdict.Not));
    }

    private static IdVerdict warned(String base, IdVerdict verdict) {
        if (verdict instanceof IdVerdict.Not(var why)) {
            LOG.warn(
                    "the inference server at {} takes no ids: {}; it renders the messages (continuation: plain)",
                    base,
                    why);
        }
        return verdict;
    }

    private IdVerdict prove(String base) {
        var pass = gate.enterNow();
        if (pass.isEmpty()) {
            return new IdVerdict.Unknown("generation is paused");
        }
        try (var _ = pass.get()) {
            return proved(base);
        } catch (EngineException failure) {
            boolean refused = failure.kind() == EngineException.Kind.REFUSED;
            return refused
                    ? new IdVerdict.Not("it answered " + failure.status() + ": " + failure.getMessage())
                    : new IdVerdict.Unknown(failure.getMessage());
        }
    }

    private IdVerdict proved(String base) {
        var request = smallRequest(base);
        var rendered = render(base, request, new Cancellation());
        if (rendered.length == 0) {
            return new IdVerdict.Not("it renders a message to no ids");
        }
        var twice = IntStream.concat(Arrays.stream(rendered), Arrays.stream(rendered))
                .toArray();
        var answers = new ArrayList<String>();
        for (var pointer : declared.orElseThrow().requestPointers()) {
            var said = proved(base, request, pointer, twice);
            if (!(said instanceof IdVerdict.Not(var why))) {
                return said;
            }
            answers.add(why);
        }
        return answers.isEmpty() ? undeclared() : new IdVerdict.Not(String.join("; ", answers));
    }

    private IdVerdict proved(String base, ObjectNode request, String pointer, int[] ids) {
        int[] prompt;
        try {
            prompt = link.quick(
                            base,
                            "/v1/chat/completions",
                            IdRequests.generation(request, pointer, ids),
                            new Cancellation(),
                            (_, in) -> parser.parse(in, false))
                    .promptIds();
        } catch (EngineException refused) {
            if (refused.kind() != EngineException.Kind.REFUSED) {
                throw refused;
            }
            return new IdVerdict.Not(
                    "it answered ids at " + pointer + " with " + refused.status() + ": " + refused.getMessage());
        }
        return Arrays.equals(prompt, ids)
                ? new IdVerdict.Takes(pointer)
                : new IdVerdict.Not(otherwise(pointer, prompt));
    }

    private static String otherwise(String pointer, int[] prompt) {
        return "it was given ids at " + pointer + " and answered "
                + (prompt == null ? "without prompt ids" : "that its prompt was " + prompt.length + " other ids");
    }

    private ObjectNode smallRequest(String base) {
        var request = JsonNodeFactory.instance.objectNode();
        var model = model(base);
        if (model != null) {
            request.put("model", model);
        }
        request.putArray("messages").addObject().put("role", "user").put("content", "Hello.");
        request.put("max_tokens", 1).put("temperature", 0);
        JsonNode added = Json.MAPPER.valueToTree(link.profile().add());
        added.properties().forEach(member -> request.set(member.getKey(), member.getValue()));
        return request;
    }

    /** The first that it serves; null where it does not say, and then it is asked without. */
    private String model(String base) {
        try {
            return link.json("GET", base, "/v1/models", null)
                    .path("data")
                    .path(0)
                    .path("id")
                    .textValue();
        } catch (EngineException unknown) {
            return null;
        }
    }

    /**
     * The ids of a chat request's prompt.
     *
     * @throws EngineException where the copy does not say
     */
    int[] render(String base, ObjectNode request, Cancellation cancellation) {
        var ids = link.quick(
                base,
                declared.orElseThrow().renderPath(),
                requests.rendering(request),
                cancellation,
                (_, in) -> requests.rendered(in));
        seen(base, ids);
        return ids;
    }

    /** It did not do with ids what it was proved to do: it is given none any more. Warned of once. */
    void off(String base, String why) {
        var before = probes.put(base, Probe.decided(new IdVerdict.Not(why)));
        if (before == null || before.known() instanceof IdVerdict.Takes) {
            LOG.warn(
                    "the inference server at {} does not go on from ids any more: {}; it renders the messages from now on (continuation: plain)",
                    base,
                    why);
        }
    }

    static String notTaken(String pointer, EngineAnswer answer) {
        return otherwise(pointer, answer.promptIds());
    }

    /** It takes no connection: what comes back may be another. */
    void away(String base) {
        probes.remove(base);
        highest.remove(base);
    }

    /** Ids that a copy gave are ids that its model has. */
    void seen(String base, int[] ids) {
        if (ids == null || declared.isEmpty() || declared.get().checksRange()) {
            return;
        }
        int most = Arrays.stream(ids).max().orElse(0);
        highest.merge(base, most, Math::max);
    }

    /** False where an engine that does not check would look an id up outside of its tables. */
    boolean inRange(String base, int[] ids) {
        if (declared.orElseThrow().checksRange()) {
            return true;
        }
        int limit = highest.getOrDefault(base, -1);
        return Arrays.stream(ids).allMatch(id -> id >= 0 && id <= limit);
    }
}
