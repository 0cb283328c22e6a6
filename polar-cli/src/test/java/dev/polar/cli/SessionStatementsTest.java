package dev.polar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Sessions that are as the rules want them; then each thing that a session says of itself, its record or its traces is made wrong by itself. */
class SessionStatementsTest {
    private static Arguments broken(String problem, Supplier<MadeSession> made, Consumer<MadeSession> breaks) {
        return Arguments.of(problem, made, breaks);
    }

    private static IntNode number(int value) {
        return IntNode.valueOf(value);
    }

    static Stream<Arguments> records() {
        return Stream.of(
                broken(
                        "its log-probabilities are not those of its ids",
                        MadeSessions::chain,
                        it -> ((ObjectNode) it.choice("t").at("/logprobs/content/0")).put("logprob", -0.5)),
                broken(
                        "is twice in the record",
                        MadeSessions::chain,
                        it -> it.record("t").put("completion_id", "a")),
                broken(
                        "has the sequence 1, the one before it 2",
                        MadeSessions::chain,
                        it -> it.ofRecord("t").put("sequence", 1)),
                broken(
                        "says untrainable null, its numbers bad_logprob",
                        MadeSessions::untrainable,
                        it -> it.ofRecord("nan").putNull("untrainable")),
                broken(
                        "says untrainable no_ids, its numbers null",
                        MadeSessions::chain,
                        it -> it.ofRecord("t").put("untrainable", "no_ids")),
                broken(
                        "that its prompt holds completion b in other tokens",
                        MadeSessions::chain,
                        it -> MadeSessions.tail(it, "t", "b")),
                broken(
                        "that its prompt holds completion a in other tokens",
                        MadeSessions::chain,
                        it -> MadeSessions.tail(it, "b", "a")),
                broken(
                        "its prompt holds completion a in other tokens, and its record says otherwise",
                        MadeSessions::retokenized,
                        it -> it.ofRecord("b").putArray("tails")),
                broken(
                        "its prompt does not hold completion a in other tokens, and its record says otherwise",
                        MadeSessions::retokenized,
                        it -> ((ArrayNode) it.choice("b").path("input_token_ids")).set(2, number(11))));
    }

    static Stream<Arguments> training() {
        return Stream.of(
                broken(
                        "has loss_mask 1, not 0",
                        MadeSessions::failed,
                        it -> it.of(0, "loss_mask").set(0, number(1))),
                broken(
                        "ended as ERROR has the reason null, not masked",
                        MadeSessions::chain,
                        it -> it.result.put("status", "ERROR")),
                broken(
                        "ended as COMPLETED has the reason session_error",
                        MadeSessions::failed,
                        it -> it.result.put("status", "COMPLETED")),
                broken(
                        "ended as TIMEOUT has the reason session_error",
                        MadeSessions::failed,
                        it -> it.result.put("status", "TIMEOUT")),
                broken(
                        "masked true and trainable true",
                        MadeSessions::failed,
                        it -> it.filter(0).put("trainable", true)),
                broken(
                        "has loss_mask 1, not 0",
                        MadeSessions::timedOut,
                        it -> it.filter(0).put("masked", true)),
                broken(
                        "keeps the reward 1.0",
                        MadeSessions::timedOut,
                        it -> it.trace(0).put("reward", 1.0)),
                broken(
                        "the reward \"NaN\" is no finite number",
                        MadeSessions::chain,
                        it -> it.trace(0).put("reward", "NaN")),
                broken(
                        "was not built, and has traces",
                        MadeSessions::notBuilt,
                        it -> it.traces().addObject()),
                broken(
                        "was not built, and is COMPLETED",
                        MadeSessions::notBuilt,
                        it -> it.result.put("status", "COMPLETED")));
    }

    static Stream<Arguments> described() {
        return Stream.of(
                broken(
                        "its prompt_messages is not what",
                        MadeSessions::chain,
                        it -> it.of(0, "prompt_messages").addObject()),
                broken(
                        "its tools is not what",
                        MadeSessions::chain,
                        it -> it.trace(0).putArray("tools").addObject()),
                broken(
                        "its finish_reason is not what",
                        MadeSessions::chain,
                        it -> it.trace(0).put("finish_reason", "length")),
                broken(
                        "not its answers in order",
                        MadeSessions::chain,
                        it -> it.of(0, "response_messages").remove(2)),
                broken(
                        "not its answers in order",
                        MadeSessions::chain,
                        it -> it.of(0, "response_messages").addObject()),
                broken(
                        "completion_metadata is of [b]",
                        MadeSessions::chain,
                        it -> ((ArrayNode) it.trace(0).at("/metadata/completion_metadata")).remove(0)),
                broken(
                        "its images are [sha256:2], those of its last prompt [sha256:1]",
                        MadeSessions::pictured,
                        it -> ((ObjectNode) it.trace(0).at("/metadata/images/0")).put("digest", "sha256:2")));
    }

    static Stream<Arguments> counts() {
        var names = MadeSessions.chain().stats().fieldNames();
        var each = Stream.<String>builder();
        names.forEachRemaining(name -> {
            if (!name.equals("breaks") && !name.equals("failed_calls")) {
                each.add(name);
            }
        });
        var counted = each.build()
                .map(name -> broken(
                        name + " is 77, counted",
                        MadeSessions::chain,
                        it -> it.stats().put(name, 77)));
        return Stream.concat(
                counted,
                Stream.of(
                        broken(
                                "failed_calls is -1",
                                MadeSessions::chain,
                                it -> it.stats().put("failed_calls", -1)),
                        broken(
                                "breaks is {\"first\":2}",
                                MadeSessions::chain,
                                it -> it.stats().putObject("breaks").put("first", 2)),
                        broken(
                                "record_count is 2, counted 3",
                                MadeSessions::chain,
                                it -> it.metadata().put("record_count", 2)),
                        broken(
                                "trace_count is 2, counted 1",
                                MadeSessions::chain,
                                it -> it.metadata().put("trace_count", 2))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource({"records", "training", "described", "counts"})
    void what_is_wrong_is_said(String problem, Supplier<MadeSession> made, Consumer<MadeSession> breaks) {
        var it = made.get();
        breaks.accept(it);
        assertThat(it.problems()).anyMatch(said -> said.contains(problem));
    }
}
