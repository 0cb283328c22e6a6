package dev.polar.trace;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.result.ResultReader;
import dev.polar.result.SampleSessions;
import dev.polar.result.SessionHead;
import dev.polar.result.SessionTrace;
import dev.polar.spi.SessionResult;
import dev.polar.wire.Json;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SessionTreeTest {
    private final List<SessionTrace> traces = new ArrayList<>();
    private SessionTree tree;

    private void read(SessionResult session) throws Exception {
        ResultReader.read(
                new ByteArrayInputStream(Json.MAPPER.writeValueAsBytes(session)), "sample", new ResultReader.Visitor() {
                    @Override
                    public void session(SessionHead head) {
                        tree = new SessionTree(head);
                    }

                    @Override
                    public void trace(SessionTrace trace) {
                        tree.add(trace);
                        traces.add(trace);
                    }
                });
    }

    private List<String> lines(boolean colour) {
        var lines = new ArrayList<String>();
        new TreeText(tree, new Palette(colour), lines::add).print();
        return lines;
    }

    private static SessionResult sample(String id) {
        return new SampleSessions()
                .all().stream()
                        .filter(session -> session.sessionId().equals("sk-polar-" + id))
                        .findFirst()
                        .orElseThrow();
    }

    @Test
    void chains_stand_below_the_one_they_leave_with_turns_roles_and_reasons() throws Exception {
        read(sample("two"));
        assertThat(String.join("\n", lines(false))).isEqualTo("""
                session sk-polar-two  COMPLETED
                5 completions in 2 traces, tails: 1 exact, breaks: 1 %s, 1 %s
                └─ trace 0  main  20 + 37 tokens, 27 to train on, reward 1.0
                   ├─  1  first        8 sampled            policy 7  calls look
                   ├─  2  exact        5 given, 9 sampled   policy 7, continuation spliced  calls look
                   ├─  3  exact        5 given, 10 sampled  policy 7, continuation spliced  "done"
                   └─ trace 1  subagent helper  20 + 22 tokens, 17 to train on, reward 1.0  begins with another agent's context, shares 12 tokens with trace 0
                      ├─  1  first        8 sampled           policy 7  calls look
                      └─  2  exact        5 given, 9 sampled  policy 7, continuation spliced  "done"
                left out: 1 undelivered""".formatted((Object[]) breaks()));
    }

    /** In the order of the result, which is a map's. */
    private String[] breaks() {
        var names = new ArrayList<String>();
        tree.session()
                .metadata()
                .at("/reconstruction_stats/breaks")
                .fieldNames()
                .forEachRemaining(names::add);
        return names.toArray(String[]::new);
    }

    @Test
    void colours_say_nothing_that_the_words_do_not() throws Exception {
        read(sample("rewritten"));
        var plain = lines(false);
        assertThat(lines(true))
                .isNotEqualTo(plain)
                .extracting(line -> line.replaceAll("\u001b\\[[0-9]+m", ""))
                .isEqualTo(plain);
        assertThat(plain).anyMatch(line -> line.contains("what came back was not what was sampled (rewritten)"));
    }

    @Test
    void a_trace_that_names_itself_as_its_parent_is_shown_once() throws Exception {
        var chain = new SampleSessions().chain(1, "main", null, "fork", 0);
        read(SampleSessions.session("s", "t", dev.polar.spi.SessionStatus.COMPLETED, Map.of(), List.of(chain)));
        assertThat(lines(false)).filteredOn(line -> line.contains("trace 0 ")).hasSize(1);
    }

    @Test
    void as_json_a_tree_has_its_spans_and_what_was_left_out() throws Exception {
        read(sample("two"));
        JsonNode json = Json.MAPPER.valueToTree(tree.json());
        assertThat(json.at("/traces/1/parent_trace").asInt()).isZero();
        assertThat(json.at("/traces/0/spans/1/did").asText()).isEqualTo("calls look");
        assertThat(json.at("/traces/0/spans/1/continuation").asText()).isEqualTo("spliced");
        assertThat(json.at("/excluded_completions/0/reason").asText()).isEqualTo("undelivered");
    }

    @Test
    void the_mask_parts_a_trace_into_what_was_given_and_what_was_sampled() throws Exception {
        read(sample("two"));
        TokenTexts lengths = ids -> Optional.of("(" + ids.length + ")");
        var out = new ArrayList<String>();
        new MaskText(traces.getFirst(), lengths).print(new Palette(false), out::add);
        assertThat(out)
                .containsExactly(
                        "[prompt, 20 tokens]",
                        "(20)",
                        "[sampled, 8 tokens]",
                        "(8)",
                        "[given, 5 tokens]",
                        "(5)",
                        "[sampled, 9 tokens]",
                        "(9)",
                        "[given, 5 tokens]",
                        "(5)",
                        "[sampled, 10 tokens]",
                        "(10)");
        out.clear();
        new MaskText(traces.getFirst(), lengths).print(new Palette(true), out::add);
        assertThat(out.getLast()).startsWith("\u001b[2m(20)\u001b[0m\u001b[32m(8)\u001b[0m\u001b[36m(5)");
    }

    @Test
    void a_rewritten_prompt_is_compared_with_the_trace_it_left() throws Exception {
        var samples = new SampleSessions();
        var before = samples.chain(1, "main", null, "first", null);
        var prompt = java.util.stream.IntStream.concat(
                        java.util.Arrays.stream(before.promptIds()),
                        java.util.stream.IntStream.of(before.responseIds()[0], 5, 6, 7))
                .toArray();
        var after = SampleSessions.withPrompt(samples.chain(1, "main", null, "rewritten", 0), prompt);
        read(SampleSessions.session("s", "t", dev.polar.spi.SessionStatus.COMPLETED, Map.of(), List.of(before, after)));
        var found = new PromptDiffs(traces).find(Map.of());
        assertThat(found).singleElement().satisfies(difference -> {
            assertThat(difference.at()).isEqualTo(21);
            assertThat(difference.sampled()).startsWith(before.responseIds()[1]);
            assertThat(difference.came()).containsExactly(5, 6, 7);
        });
        var out = new ArrayList<String>();
        found.getFirst().print(TokenTexts.UNKNOWN, new Palette(false), out::add);
        assertThat(out)
                .contains("+ <5><6><7>")
                .first()
                .asString()
                .contains("rewritten  the first 21 tokens are the same");
    }

    @Test
    void the_prompt_behind_a_merged_tail_comes_from_the_record() throws Exception {
        var json = """
                {"session_id": "s", "completions": [
                 {"completion_id": "c0", "request": {}, "response": {"choices": [{"input_token_ids": [1, 2], "token_ids": [3],
                  "logprobs": {"content": [{"token": "fi", "token_id": 3, "logprob": -1}]}}]}},
                 {"completion_id": "c1", "response": {"choices": [{"input_token_ids": [1, 2, 4], "token_ids": [5], "logprobs": null}]}}]}""";
        var record = RecordedTexts.read(new ByteArrayInputStream(json.getBytes()), Set.of("c1"));
        assertThat(record.prompts()).containsOnlyKeys("c1");
        assertThat(record.prompts().get("c1")).containsExactly(1, 2, 4);
        assertThat(record.text(new int[] {3, 4})).contains("fi<4>");
        assertThat(record.text(new int[] {4})).isEmpty();
    }
}
