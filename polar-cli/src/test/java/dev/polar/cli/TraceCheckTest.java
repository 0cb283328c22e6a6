package dev.polar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.wire.Json;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Two turns of one trace, and a call that is left out; then each rule is broken by itself. */
class TraceCheckTest {
    private static final int[] FIRST_PROMPT = {1, 2, 3};
    private static final int[] FIRST = {4, 5, 9};
    private static final int[] SECOND_PROMPT = {1, 2, 3, 4, 5, 9, 6, 7};
    private static final int[] SECOND = {8, 9};
    private static final int[] TITLE = {2, 9};

    /** A result beside the record that it was made of. */
    private record Case(ObjectNode result, ObjectNode completions) {
        ObjectNode trace() {
            return (ObjectNode) result.at("/trajectory/traces/0");
        }

        ArrayNode of(String key) {
            return (ArrayNode) trace().path(key);
        }

        List<String> problems() {
            return TraceCheck.problems(result, completions, true);
        }
    }

    private static Case whole() {
        var completions = Json.MAPPER.createObjectNode();
        var records = completions.putArray("completions");
        record(records, "a", FIRST_PROMPT, FIRST, "main");
        record(records, "b", SECOND_PROMPT, SECOND, "main");
        record(records, "t", FIRST_PROMPT, TITLE, "auxiliary");
        var result = Json.MAPPER.createObjectNode();
        var trajectory = result.putObject("trajectory");
        var trace = trajectory.putArray("traces").addObject();
        ids(trace.putArray("prompt_ids"), FIRST_PROMPT);
        ids(trace.putArray("response_ids"), 4, 5, 9, 6, 7, 8, 9);
        ids(trace.putArray("loss_mask"), 1, 1, 1, 0, 0, 1, 1);
        var logprobs = trace.putArray("response_logprobs");
        for (var logprob : SimulatedLogprobs.of(FIRST_PROMPT, FIRST)) {
            logprobs.add(logprob);
        }
        logprobs.add(0.0).add(0.0);
        for (var logprob : SimulatedLogprobs.of(SECOND_PROMPT, SECOND)) {
            logprobs.add(logprob);
        }
        var spans = trace.putObject("metadata").putArray("spans");
        spans.addObject().put("completion_id", "a").put("start", 0).put("end", 3);
        spans.addObject().put("completion_id", "b").put("start", 5).put("end", 7);
        trajectory
                .putObject("metadata")
                .putArray("excluded_completions")
                .addObject()
                .put("completion_id", "t")
                .put("reason", "role:auxiliary");
        return new Case(result, completions);
    }

    private static void record(ArrayNode records, String id, int[] prompt, int[] sampled, String role) {
        var record = records.addObject().put("completion_id", id);
        record.putObject("metadata").put("role", role).put("delivered", true);
        var choice = record.putObject("response").putArray("choices").addObject();
        ids(choice.putArray("input_token_ids"), prompt);
        ids(choice.putArray("token_ids"), sampled);
        var content = choice.putObject("logprobs").putArray("content");
        for (var logprob : SimulatedLogprobs.of(prompt, sampled)) {
            content.addObject().put("logprob", logprob);
        }
    }

    private static void ids(ArrayNode list, int... ids) {
        Arrays.stream(ids).forEach(list::add);
    }

    @Test
    void what_is_right_has_no_problem() {
        assertThat(whole().problems()).isEmpty();
    }

    private static Arguments broken(String problem, Consumer<Case> breaks) {
        return Arguments.of(problem, breaks);
    }

    static Stream<Arguments> each() {
        return Stream.of(
                broken(
                        "completion t is lost",
                        it -> it.result().withObject("/trajectory/metadata").putArray("excluded_completions")),
                broken(
                        "completion a stands twice",
                        it -> it.result()
                                .withArray("/trajectory/metadata/excluded_completions")
                                .addObject()
                                .put("completion_id", "a")
                                .put("reason", "superseded")),
                broken(
                        "which its record does not say",
                        it -> ((ObjectNode) it.result().at("/trajectory/metadata/excluded_completions/0"))
                                .put("reason", "undelivered")),
                broken(
                        "the span differs from what was sampled",
                        it -> it.of("response_ids")
                                .set(1, Json.MAPPER.getNodeFactory().numberNode(6))),
                broken(
                        "has loss_mask 1, not 0",
                        it -> it.of("loss_mask")
                                .set(3, Json.MAPPER.getNodeFactory().numberNode(1))),
                broken(
                        "has the log-probability",
                        it -> it.of("response_logprobs")
                                .set(
                                        0,
                                        Json.MAPPER
                                                .getNodeFactory()
                                                .numberNode(Math.nextUp(it.of("response_logprobs")
                                                        .get(0)
                                                        .asDouble())))),
                broken(
                        "is not the prompt that it was sampled from",
                        it -> it.of("response_ids")
                                .set(3, Json.MAPPER.getNodeFactory().numberNode(7))),
                broken("7 ids, 6 of loss_mask", it -> it.of("loss_mask").remove(0)),
                broken(
                        "its log-probabilities are not those of its ids",
                        it -> ((ObjectNode) it.completions().at("/completions/2/response/choices/0/logprobs/content/0"))
                                .put("logprob", -0.5)),
                broken(
                        "is in no record",
                        it -> ((ObjectNode) it.trace().at("/metadata/spans/1")).put("completion_id", "x")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("each")
    void what_is_wrong_is_said(String problem, Consumer<Case> breaks) {
        var it = whole();
        breaks.accept(it);
        assertThat(it.problems()).anyMatch(said -> said.contains(problem));
    }

    @Test
    void a_masked_trace_trains_nothing() {
        var it = whole();
        ((ObjectNode) it.trace().path("metadata")).putObject("training_filter").put("masked", true);
        assertThat(it.problems()).anyMatch(said -> said.contains("has loss_mask 1, not 0"));
        ids(it.trace().putArray("loss_mask"), 0, 0, 0, 0, 0, 0, 0);
        assertThat(it.problems()).isEmpty();
    }
}
