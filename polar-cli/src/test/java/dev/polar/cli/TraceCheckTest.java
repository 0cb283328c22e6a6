package dev.polar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Sessions that are as the rules want them; then each rule of where a token stands is broken by itself. */
class TraceCheckTest {
    static Stream<Arguments> whole() {
        return Stream.of(
                named("chain", MadeSessions::chain),
                named("per request", MadeSessions::perRequest),
                named("retried", MadeSessions::retried),
                named("without superseded", MadeSessions::withoutSuperseded),
                named("continued", MadeSessions::continued),
                named("same text", MadeSessions::sameText),
                named("retokenized", MadeSessions::retokenized),
                named("agents", MadeSessions::agents),
                named("pictured", MadeSessions::pictured),
                named("untrainable", MadeSessions::untrainable),
                named("failed", MadeSessions::failed),
                named("timed out", MadeSessions::timedOut),
                named("not built", MadeSessions::notBuilt));
    }

    private static Arguments named(String name, Supplier<MadeSession> made) {
        return Arguments.of(name, made);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("whole")
    void what_is_right_has_no_problem(String name, Supplier<MadeSession> made) {
        assertThat(made.get().problems()).isEmpty();
    }

    private static Arguments broken(String problem, Supplier<MadeSession> made, Consumer<MadeSession> breaks) {
        return Arguments.of(problem, made, breaks);
    }

    private static IntNode number(int value) {
        return IntNode.valueOf(value);
    }

    static Stream<Arguments> exclusions() {
        return Stream.of(
                broken(
                        "completion t is lost",
                        MadeSessions::chain,
                        it -> it.metadata().putArray("excluded_completions")),
                broken("completion a stands twice", MadeSessions::chain, it -> it.left("a", "superseded")),
                broken(
                        "completion x is left out, but is in no record",
                        MadeSessions::chain,
                        it -> it.left("x", "empty")),
                broken(
                        "'undelivered', which its record does not say",
                        MadeSessions::chain,
                        it -> reason(it, "undelivered")),
                broken("'empty', which its record does not say", MadeSessions::chain, it -> reason(it, "empty")),
                broken(
                        "'superseded', which its record does not say",
                        MadeSessions::chain,
                        it -> reason(it, "superseded")),
                broken(
                        "'role:judge', which its record does not say",
                        MadeSessions::chain,
                        it -> reason(it, "role:judge")),
                broken(
                        "'untrainable:no_ids', which its record does not say",
                        MadeSessions::chain,
                        it -> reason(it, "untrainable:no_ids")),
                broken(
                        "'untrainable:bad_logprob', which its record does not say",
                        MadeSessions::untrainable,
                        it -> ((ObjectNode) it.choice("nan").at("/logprobs/content/0")).put("logprob", -1)),
                broken(
                        "it belongs in a trace",
                        MadeSessions::withoutSuperseded,
                        it -> it.metadata().withObject("/builder_config").put("include_superseded", true)),
                broken(
                        "it stands in a trace and cannot train: usage_mismatch",
                        MadeSessions::chain,
                        it -> it.record("b").withObject("/response/usage").put("completion_tokens", 3)),
                broken(
                        "holds the completions [a, b], the rules give [b]",
                        MadeSessions::chain,
                        it -> it.ofRecord("a")
                                .put("delivered", false)
                                .put("role", "auxiliary")
                                .put("agent", "other")),
                broken(
                        "included_by is null, the rules give continuation",
                        MadeSessions::continued,
                        it -> it.span("a").remove("included_by")),
                broken(
                        "included_by is continuation, the rules give null",
                        MadeSessions::chain,
                        it -> it.span("a").put("included_by", "continuation")));
    }

    private static void reason(MadeSession made, String reason) {
        ((ObjectNode) made.metadata().at("/excluded_completions/0")).put("reason", reason);
    }

    static Stream<Arguments> tokens() {
        return Stream.of(
                broken(
                        "7 ids, 6 of loss_mask",
                        MadeSessions::chain,
                        it -> it.of(0, "loss_mask").remove(0)),
                broken(
                        "is in no record, or outside",
                        MadeSessions::chain,
                        it -> it.span("b").put("completion_id", "x")),
                broken(
                        "or out of order",
                        MadeSessions::chain,
                        it -> it.span("b").put("start", 2)),
                broken(
                        "or outside the trace",
                        MadeSessions::chain,
                        it -> it.span("b").put("end", 8)),
                broken(
                        "reaches from 0 to 6 of 7 ids",
                        MadeSessions::chain,
                        it -> it.span("b").put("end", 6)),
                broken(
                        "has no spans",
                        MadeSessions::chain,
                        it -> it.trace(0).withObject("/metadata").putArray("spans")),
                broken(
                        "the span differs from what was sampled",
                        MadeSessions::chain,
                        it -> it.of(0, "response_ids").set(1, number(6))),
                broken(
                        "has loss_mask 1, not 0",
                        MadeSessions::chain,
                        it -> it.of(0, "loss_mask").set(3, number(1))),
                broken(
                        "has loss_mask 0, not 1",
                        MadeSessions::chain,
                        it -> it.of(0, "loss_mask").set(0, number(0))),
                broken(
                        "has the log-probability",
                        MadeSessions::chain,
                        it -> it.of(0, "response_logprobs")
                                .set(
                                        0,
                                        DoubleNode.valueOf(Math.nextUp(it.of(0, "response_logprobs")
                                                .get(0)
                                                .asDouble())))),
                broken(
                        "position 3 has the log-probability -1.0",
                        MadeSessions::chain,
                        it -> it.of(0, "response_logprobs").set(3, number(-1))),
                broken(
                        "is not the prompt that it was sampled from",
                        MadeSessions::chain,
                        it -> it.of(0, "response_ids").set(3, number(7))),
                broken(
                        "is not the prompt that it was sampled from",
                        MadeSessions::chain,
                        it -> it.of(0, "prompt_ids").set(0, number(7))),
                broken(
                        "is not the prompt that it was sampled from",
                        MadeSessions::sameText,
                        it -> it.of(0, "response_ids")
                                .set(it.span("b").path("start").asInt() - 1, number(45))),
                broken(
                        "is not where its own begins",
                        MadeSessions::pictured,
                        it -> ((ObjectNode) it.ofRecord("b").at("/images/0")).put("digest", "sha256:2")),
                broken(
                        "is not where its own begins",
                        MadeSessions::chain,
                        it -> ((ArrayNode) it.choice("b").path("input_token_ids")).set(0, number(7))),
                broken(
                        "and does not say so",
                        MadeSessions::sameText,
                        it -> it.span("c").remove("context")));
    }

    static Stream<Arguments> places() {
        return Stream.of(
                broken(
                        "there are 1 traces, the rules give 2",
                        MadeSessions::retokenized,
                        it -> it.traces().remove(1)),
                broken(
                        "holds the completions [b], the rules give [a, c, d]",
                        MadeSessions::retried,
                        it -> it.traces().add(it.traces().remove(0))),
                broken(
                        "tail is retokenized, the rules give exact",
                        MadeSessions::chain,
                        it -> it.span("b").put("tail", "retokenized")),
                broken(
                        "tail is exact, the rules give retokenized",
                        MadeSessions::sameText,
                        it -> it.span("b").put("tail", "exact")),
                broken(
                        "context is any, the rules give same_text",
                        MadeSessions::sameText,
                        it -> it.span("c").put("context", "any")),
                broken(
                        "context is same_text, the rules give null",
                        MadeSessions::chain,
                        it -> it.span("b").put("context", "same_text")),
                broken(
                        "stop_differs is true, the rules give null",
                        MadeSessions::sameText,
                        it -> it.span("b").put("stop_differs", true)),
                broken(
                        "parent is null, the rules give a",
                        MadeSessions::retried,
                        it -> it.span("b").remove("parent")),
                broken(
                        "parent is t, the rules give a",
                        MadeSessions::chain,
                        it -> it.span("b").put("parent", "t")),
                broken(
                        "parent is a, the rules give null",
                        MadeSessions::perRequest,
                        it -> it.span("b").put("parent", "a")),
                broken(
                        "break is fork, the rules give same_prompt",
                        MadeSessions::retried,
                        it -> it.span("b").put("break", "fork")),
                broken(
                        "break is first, the rules give role",
                        MadeSessions::agents,
                        it -> it.span("s").put("break", "first")),
                broken(
                        "break is rewritten, the rules give retokenized",
                        MadeSessions::retokenized,
                        it -> it.span("b").put("break", "rewritten")),
                broken(
                        "break is null, the rules give first",
                        MadeSessions::chain,
                        it -> it.span("a").remove("break")),
                broken(
                        "superseded_by is d, the rules give c",
                        MadeSessions::retried,
                        it -> it.span("b").put("superseded_by", "d")),
                broken(
                        "role is main, the rules give subagent",
                        MadeSessions::agents,
                        it -> it.span("s").put("role", "main")),
                broken(
                        "agent is null, the rules give helper",
                        MadeSessions::agents,
                        it -> it.span("s").remove("agent")),
                broken(
                        "parent_trace is 1, the rules give 0",
                        MadeSessions::agents,
                        it -> it.trace(1).withObject("/metadata").put("parent_trace", 1)),
                broken(
                        "parent_trace is 0, the rules give null",
                        MadeSessions::chain,
                        it -> it.trace(0).withObject("/metadata").put("parent_trace", 0)),
                broken(
                        "shared_prefix_tokens is 5, the rules give 4",
                        MadeSessions::retried,
                        it -> it.trace(1).withObject("/metadata").put("shared_prefix_tokens", 5)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource({"exclusions", "tokens", "places"})
    void what_is_wrong_is_said(String problem, Supplier<MadeSession> made, Consumer<MadeSession> breaks) {
        var it = made.get();
        breaks.accept(it);
        assertThat(it.problems()).anyMatch(said -> said.contains(problem));
    }

    @Test
    void of_a_builder_that_is_not_polars_own_only_the_tokens_are_held() {
        var made = MadeSessions.chain();
        made.metadata().put("builder", "a_teams_own");
        made.span("b").put("parent", "t");
        assertThat(made.problems()).isEmpty();
        made.of(0, "loss_mask").set(3, number(1));
        assertThat(made.problems()).hasSize(1);
    }
}
