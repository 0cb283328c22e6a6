package dev.polar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.cli.AgentLab.Kind;
import dev.polar.sim.Answer;
import dev.polar.sim.Policy;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The real Claude Code. */
class ClaudeCodeIT extends AgentContract {
    private static final AgentUnderTest CLAUDE_CODE = new AgentUnderTest(
            "claude_code",
            Map.of("max_retries", 1),
            Map.of(),
            new AgentUnderTest.Hands() {
                @Override
                public Answer.Call run(String command) {
                    return AgentScript.call("Bash", Map.of("command", command, "description", "Do it"));
                }

                @Override
                public Answer.Call write(String path, String content) {
                    return AgentScript.call("Write", Map.of("file_path", path, "content", content));
                }
            },
            true,
            "mcp__counter__count");

    @Override
    AgentUnderTest agent() {
        return CLAUDE_CODE;
    }

    private static final String ERRAND = "Errand: say which files are here.";

    @Override
    void submitMore() throws Exception {
        submit(Kind.VLLM_BUFFERED, task("sub-agent", withSubAgent()));
        submit(Kind.VLLM_BUFFERED, task("compaction", withLongOutput()).withEnv(COMPACTS_EARLY));
    }

    /** Two of them at once, then the task. */
    private Policy withSubAgent() {
        var theirs = AgentScript.of(
                AgentScript.calls(at -> List.of(agent().hands().run("ls"))), AgentScript.says("Three files."));
        var main = AgentScript.of(
                first(),
                AgentScript.calls(at -> List.of(errand("one"), errand("two"))),
                written(),
                AgentScript.says("Done."));
        return AgentScript.forWhich(ClaudeCodeIT::isErrand, theirs, main);
    }

    private static Answer.Call errand(String which) {
        return AgentScript.call(
                "Agent",
                Map.of(
                        "description",
                        "errand " + which,
                        "prompt",
                        ERRAND + " This is errand " + which + ".",
                        "subagent_type",
                        "general-purpose"));
    }

    /** Its first user message is the errand; the main agent's is the task. */
    private static boolean isErrand(JsonNode request) {
        for (var message : request.path("messages")) {
            if (message.path("role").asText().equals("user")) {
                return message.toString().contains(ERRAND);
            }
        }
        return false;
    }

    @Test
    void sub_agents_are_labelled_told_apart_and_have_traces_of_their_own() throws Exception {
        session(Kind.VLLM_BUFFERED, "sub-agent").succeeded().delegated(2, 4);
    }

    /**
     * It compacts by itself only where a window was named, the smallest of which is 100,000 tokens; 55 % of what is left beside an answer is 44,000: more than the task begins with, less than it has
     * after the long output.
     */
    private static final Map<String, String> COMPACTS_EARLY =
            Map.of("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "100000", "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE", "55");

    private static final String SUMMARY = "The numbers are 17 and 25, and sum.txt is to be written.";

    private Policy withLongOutput() {
        var script = AgentScript.of(
                first(),
                AgentScript.calls(at -> List.of(agent().hands().run("seq 1 6000 | head -c 28000"))),
                written(),
                AgentScript.says("Done."));
        var afterwards = AgentScript.of(
                AgentScript.calls(at -> List.of(agent().hands().run("pwd"))), written(), AgentScript.says("Done."));
        Policy summary = (request, random) -> new Policy.Decision(Answer.text("<summary>" + SUMMARY + "</summary>"));
        return AgentScript.forWhich(
                AgentScript.mentions("Your task is to create a detailed summary of the conversation so far"),
                summary,
                AgentScript.forWhich(AgentScript.mentions(SUMMARY), afterwards, script));
    }

    @Test
    void a_compaction_and_what_resumes_from_it_are_labelled_and_all_of_it_trains() throws Exception {
        var session = session(Kind.VLLM_BUFFERED, "compaction").succeeded();

        var kinds = session.records().stream()
                .map(record -> record.at("/metadata/segment_kind").asText("none"))
                .toList();
        assertThat(kinds).as(session.toString()).contains("none", "compaction", "resumed");
        assertThat(session.result().at("/trajectory/metadata/excluded_completions"))
                .as(session.toString())
                .isEmpty();
        assertThat(session.traces("main")).as(session.toString()).hasSize(3);
    }
}
