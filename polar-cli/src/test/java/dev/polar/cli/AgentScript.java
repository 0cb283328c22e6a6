package dev.polar.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.sim.Answer;
import dev.polar.sim.Fault;
import dev.polar.sim.Policy;
import dev.polar.wire.Json;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/**
 * What the simulated model says to an agent, turn by turn; the last turn is said again and again. A call without tools (a title, a topic) gets a few words. Thread-safe.
 *
 * @param turns the first answers a conversation that has no answer in it yet
 */
record AgentScript(List<Turn> turns) implements Policy {
    private static final Pattern FOLDER = Pattern.compile("(/[^\\s\"'\\\\]*/workspace)\\b");

    /** Where the agent works, as its processes spell it, once the request tells: let the first turn run {@code pwd}. */
    static String folder(JsonNode request) {
        var found = FOLDER.matcher(request.path("messages").toString());
        return found.find() ? found.group(1) : ".";
    }

    /** One answer. */
    @FunctionalInterface
    interface Turn {
        Decision answer(JsonNode request);
    }

    static AgentScript of(Turn... turns) {
        return new AgentScript(List.of(turns));
    }

    static Turn says(String text) {
        return request -> new Decision(Answer.text(text));
    }

    /** Tool calls in one answer; the function gets the agent's folder. */
    static Turn calls(Function<String, List<Answer.Call>> calls) {
        return request -> new Decision(new Answer.Message("", "Next step.", calls.apply(folder(request))));
    }

    /** An answer that counts how often it is asked for. Thread-safe. */
    static final class Counted implements Turn {
        private final Turn turn;
        private final AtomicInteger asked = new AtomicInteger();

        Counted(Turn turn) {
            this.turn = turn;
        }

        int asked() {
            return asked.get();
        }

        @Override
        public Decision answer(JsonNode request) {
            asked.incrementAndGet();
            return turn.answer(request);
        }
    }

    /** The answer fails, each time. */
    static Turn fails(Fault fault) {
        return request ->
                new Decision(Answer.text("This answer does not arrive whole, however often it is asked for."), fault);
    }

    /** The answer fails the first {@code times} times. */
    static Turn failsFirst(int times, Fault fault, Turn then) {
        var failed = new AtomicInteger();
        return request -> failed.getAndIncrement() < times
                ? new Decision(then.answer(request).answer(), fault)
                : then.answer(request);
    }

    /** Another script for the conversations that {@code is} knows, such as a sub-agent's. */
    static Policy forWhich(Predicate<JsonNode> is, Policy theirs, Policy otherwise) {
        return (request, random) -> (is.test(request) ? theirs : otherwise).decide(request, random);
    }

    static Answer.Call call(String name, Map<String, Object> arguments) {
        return new Answer.Call(name, Json.MAPPER.valueToTree(arguments));
    }

    /** Whether any message says {@code text}. */
    static Predicate<JsonNode> mentions(String... texts) {
        return request -> {
            var messages = request.path("messages").toString();
            return Arrays.stream(texts).allMatch(messages::contains);
        };
    }

    @Override
    public Decision decide(JsonNode request, RandomGenerator random) {
        if (request.path("tools").isEmpty()) {
            return new Decision(Answer.text("A few files"));
        }
        int answered = 0;
        for (var message : request.path("messages")) {
            answered += isAnswer(message) ? 1 : 0;
        }
        return turns.get(Math.min(answered, turns.size() - 1)).answer(request);
    }

    /** An answer that broke off is none, though some agents leave an empty one of it in their history. */
    private static boolean isAnswer(JsonNode message) {
        return message.path("role").asText().equals("assistant")
                && (!message.path("tool_calls").isEmpty()
                        || !message.path("content").asText().isEmpty()
                        || !message.path("content").isEmpty());
    }
}
