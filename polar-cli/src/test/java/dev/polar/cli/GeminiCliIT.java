package dev.polar.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.cli.AgentLab.Kind;
import dev.polar.sim.Answer;
import dev.polar.sim.Policy;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** The real Gemini CLI. */
class GeminiCliIT extends AgentContract {
    private static final AgentUnderTest GEMINI_CLI = new AgentUnderTest(
            "gemini_cli",
            Map.of("max_attempts", 2),
            Map.of(),
            new AgentUnderTest.Hands() {
                @Override
                public Answer.Call run(String command) {
                    return AgentScript.call("run_shell_command", Map.of("command", command, "description", "Do it"));
                }

                @Override
                public Answer.Call write(String path, String content) {
                    // The agent's folder of temporary files is called as the workspace is, and it names it first.
                    var name = Path.of(path).getFileName().toString();
                    return AgentScript.call("write_file", Map.of("file_path", name, "content", content));
                }
            },
            true,
            "mcp_counter_count");

    private static final Predicate<JsonNode> NO_TOOLS =
            request -> request.path("tools").isEmpty();
    private static final Predicate<JsonNode> WHO_IS_NEXT =
            NO_TOOLS.and(AgentScript.mentions("Analyze *only* the content and structure"));
    private static final Predicate<JsonNode> SNAPSHOT = NO_TOOLS.and(AgentScript.mentions("<state_snapshot>"));
    private static final String SUM = "The sum is 42, and it stands in sum.txt.";

    @Override
    AgentUnderTest agent() {
        return GEMINI_CLI;
    }

    @Override
    void submitMore() throws Exception {
        submit(Kind.VLLM_BUFFERED, task("sub-agents", delegating()));
        submit(
                Kind.VLLM_BUFFERED,
                task("sub-agent-compaction", AgentScript.forWhich(SNAPSHOT, summary(), delegating()))
                        .withSettings(Map.of("compact_at_tokens", 8_000)));
        submit(
                Kind.VLLM_NATIVE,
                task("compaction", compacting())
                        .withSettings(Map.of("next_speaker_check", true, "compact_at_tokens", 8_000)));
        submit(
                Kind.VLLM_BUFFERED,
                task("turns", AgentScript.of(first())).withSettings(Map.of("max_turns", 2, "loop_detection", false)));
        submit(Kind.VLLM_BUFFERED, task("loop", AgentScript.of(first())));
    }

    /** Two sub-agents of the same kind at once; the first stops without the call that sub-agents end with, and is told to make it. */
    private Policy delegating() {
        var main = AgentScript.of(
                first(),
                AgentScript.calls(at -> List.of(delegate("Count the files."), delegate("Count the folders."))),
                written(),
                AgentScript.says(SUM));
        var found = AgentScript.calls(at ->
                List.of(AgentScript.call("complete_task", Map.of("result", Map.of("response", "Three.")))));
        var helper =
                AgentScript.of(AgentScript.calls(at -> List.of(agent().hands().run("ls | wc -l"))), found);
        var forgetful = AgentScript.of(
                AgentScript.calls(at -> List.of(agent().hands().run("ls | wc -l"))),
                AgentScript.says("There are three."),
                found);
        Predicate<JsonNode> counting =
                request -> request.path("tools").toString().contains("\"complete_task\"");
        return AgentScript.forWhich(
                counting, AgentScript.forWhich(AgentScript.mentions("Count the files."), forgetful, helper), main);
    }

    private static Answer.Call delegate(String task) {
        return AgentScript.call("invoke_agent", Map.of("agent_name", "generalist", "prompt", task));
    }

    /** An answer without a tool call, which is not the last: the agent asks who speaks next, compacts, and goes on; what it then begins with is again too long, and it compacts once more. */
    private Policy compacting() {
        var before = AgentScript.of(first(), AgentScript.says("Now I write the sum."));
        var after = AgentScript.forWhich(
                request -> lastRole(request).equals("tool"),
                AgentScript.of(AgentScript.says(SUM)),
                AgentScript.of(written()));
        Policy main = AgentScript.forWhich(AgentScript.mentions("Please continue."), after, before);
        return (request, random) -> {
            if (WHO_IS_NEXT.test(request)) {
                boolean done = AgentScript.mentions(SUM).test(request);
                return decision(
                        "{\"reasoning\": \"So it is.\", \"next_speaker\": \"" + (done ? "user" : "model") + "\"}");
            }
            return (SNAPSHOT.test(request) ? summary() : main).decide(request, random);
        };
    }

    private static Policy summary() {
        return (request, random) -> decision("<state_snapshot>It is still to be done.</state_snapshot>");
    }

    private static Policy.Decision decision(String text) {
        return new Policy.Decision(Answer.text(text));
    }

    private static String lastRole(JsonNode request) {
        var messages = request.path("messages");
        return messages.get(messages.size() - 1).path("role").asText();
    }

    @Test
    void sub_agents_of_one_kind_are_told_apart_also_where_one_is_told_to_end() throws Exception {
        session(Kind.VLLM_BUFFERED, "sub-agents").succeeded().delegated(2, 5);
    }

    /** The forgetful one: its answer without a tool call is what the agent can cut a history after. */
    @Test
    void a_sub_agents_compaction_is_its_own_and_so_is_what_resumes_from_it() throws Exception {
        var session = session(Kind.VLLM_BUFFERED, "sub-agent-compaction").succeeded();

        assertThat(session.records("main"))
                .as(session.toString())
                .hasSize(4)
                .allSatisfy(
                        record -> assertThat(record.at("/metadata/segment_kind").asText(""))
                                .isEmpty());
        assertThat(session.records("subagent"))
                .filteredOn(record -> record.at("/metadata/segment_kind").isTextual())
                .as(session.toString())
                .extracting(
                        record -> record.at("/metadata/agent").asText(),
                        record -> record.at("/metadata/segment_kind").asText())
                .containsExactly(
                        tuple("subagent-1", "compaction"),
                        tuple("subagent-1", "compaction"),
                        tuple("subagent-1", "resumed"));
    }

    @Test
    void a_compaction_is_labelled_and_so_is_what_resumes_from_it_and_who_speaks_next_earns_nothing() throws Exception {
        var session = session(Kind.VLLM_NATIVE, "compaction").succeeded().auxiliary(2);

        assertThat(session.records("main"))
                .as(session.toString())
                .extracting(record -> record.at("/metadata/segment_kind").asText(""))
                .containsExactly("", "", "compaction", "compaction", "resumed", "compaction", "compaction", "resumed");
        assertThat(session.stats().path("completions_merged").asInt()).isEqualTo(8);
    }

    @Test
    void an_agent_that_stops_by_a_limit_of_its_own_gave_up() throws Exception {
        for (var name : List.of("turns", "loop")) {
            var session = session(Kind.VLLM_BUFFERED, name);

            assertThat(session.result().path("status").asText())
                    .as(session.toString())
                    .isEqualTo("ERROR");
            assertThat(session.ending()).as(session.toString()).isEqualTo("gave_up");
        }
    }
}
