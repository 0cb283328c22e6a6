package dev.polar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.cli.AgentLab.Kind;
import dev.polar.sim.Answer;
import dev.polar.sim.Policy;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The real OpenCode. The contract's own sessions speak Chat; here are its three other dialects. */
@Order(1) // Waits longest.
class OpenCodeIT extends AgentContract {
    private static final AgentUnderTest OPENCODE = new AgentUnderTest(
            "opencode",
            Map.of(),
            Map.of(),
            new AgentUnderTest.Hands() {
                @Override
                public Answer.Call run(String command) {
                    return AgentScript.call("bash", Map.of("command", command));
                }

                @Override
                public Answer.Call write(String path, String content) {
                    return AgentScript.call("write", Map.of("filePath", path, "content", content));
                }
            },
            true,
            "counter_count");

    private static final List<String> OTHER_DIALECTS = List.of("openai_responses", "anthropic", "google");
    private static final String SUB_TASK = "Count what is in here";
    private static final String RESUMED = "What did we do so far?";

    @Override
    AgentUnderTest agent() {
        return OPENCODE;
    }

    /** It sends the same again; from the next call on an empty message stands in its history before the answer that it then got. */
    @Override
    int forksAfterPart() {
        return 1;
    }

    @Override
    void submitMore() throws Exception {
        for (var dialect : OTHER_DIALECTS) {
            for (var kind : Kind.values()) {
                submit(kind, task(dialect, sum()).withSettings(Map.of("api", dialect)));
            }
        }
        submit(Kind.VLLM_BUFFERED, task("sub-agents", delegating()).withSettings(Map.of("title", true)));
        submit(
                Kind.VLLM_NATIVE,
                task("compaction", compacting())
                        .withSettings(
                                Map.of("compaction", true, "context_window", 20_000, "max_output_tokens", 1_000)));
    }

    private Policy delegating() {
        var main = AgentScript.of(
                first(),
                AgentScript.calls(at -> List.of(delegate("general"), delegate("explore"))),
                written(),
                AgentScript.says("The sum is 42, and it stands in sum.txt."));
        var helper = AgentScript.of(
                AgentScript.calls(at -> List.of(agent().hands().run("ls | wc -l"))), AgentScript.says("Some things."));
        Predicate<JsonNode> helpers =
                request -> request.at("/messages/1/content").asText().startsWith(SUB_TASK);
        return AgentScript.forWhich(helpers, helper, main);
    }

    private static Answer.Call delegate(String kind) {
        return AgentScript.call(
                "task",
                Map.of("description", "count things", "prompt", SUB_TASK + ", as " + kind, "subagent_type", kind));
    }

    private Policy compacting() {
        var before = AgentScript.of(
                first(), AgentScript.calls(at -> List.of(agent().hands().run("pwd; seq 1 4000"))));
        var after = (Policy) (request, random) -> {
            boolean written = request.path("messages").toString().contains("sum.txt\\\"");
            return (written
                            ? AgentScript.of(AgentScript.says("The sum stands in sum.txt."))
                            : AgentScript.of(written()))
                    .decide(request, random);
        };
        return AgentScript.forWhich(AgentScript.mentions(RESUMED), after, before);
    }

    static Stream<Arguments> dialects() {
        return OTHER_DIALECTS.stream()
                .flatMap(dialect -> Stream.of(Kind.values()).map(kind -> Arguments.of(dialect, kind)));
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("dialects")
    void it_does_the_task_in_each_dialect_that_it_can_speak(String dialect, Kind kind) throws Exception {
        var session = session(kind, dialect).succeeded();

        assertThat(session.records())
                .allSatisfy(record ->
                        assertThat(record.at("/metadata/api_type").asText()).isEqualTo(dialect));
        assertThat(session.records("main")).hasSizeGreaterThanOrEqualTo(4);
        assertThat(session.traces("main")).as(session.toString()).hasSize(1);
    }

    @Test
    void two_sub_agents_at_once_are_told_apart_and_the_title_earns_nothing() throws Exception {
        session(Kind.VLLM_BUFFERED, "sub-agents").succeeded().delegated(2, 4).auxiliary(1);
    }

    @Test
    void a_compaction_is_labelled_and_so_is_what_resumes_from_it() throws Exception {
        var session = session(Kind.VLLM_NATIVE, "compaction").succeeded();

        assertThat(session.records())
                .as(session.toString())
                .extracting(record -> record.at("/metadata/segment_kind").asText(""))
                .containsSubsequence("", "compaction", "resumed")
                .containsOnly("", "compaction", "resumed");
        long compactions = session.records().stream()
                .filter(record -> record.at("/metadata/segment_kind").asText("").equals("compaction"))
                .count();
        assertThat(session.stats().at("/breaks/first").asLong())
                .as("each compaction is asked for apart, and what resumes begins with its summary: %s", session)
                .isEqualTo(1 + 2 * compactions);
    }
}
