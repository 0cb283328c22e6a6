package dev.polar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.cli.AgentLab.Kind;
import dev.polar.sim.Answer;
import dev.polar.sim.Policy;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** The real Qwen Code. */
@Order(1) // Waits longest.
class QwenCodeIT extends AgentContract {
    private static final AgentUnderTest QWEN_CODE = new AgentUnderTest(
            "qwen_code",
            Map.of(),
            Map.of(),
            new AgentUnderTest.Hands() {
                @Override
                public Answer.Call run(String command) {
                    return AgentScript.call("run_shell_command", Map.of("command", command));
                }

                @Override
                public Answer.Call write(String path, String content) {
                    return AgentScript.call("write_file", Map.of("file_path", path, "content", content));
                }
            },
            true,
            "mcp__counter__count");

    private static final String GENERAL = "You are a general-purpose subagent";
    private static final String EXPLORE = "You are a file search specialist agent";
    private static final String MEMORY = "You are now acting as the managed memory extraction subagent";
    private static final String SUMMARISE = "produce the <state_snapshot> XML";
    private static final String RESUMED = "Resume the prior task using the summary above";

    @Override
    AgentUnderTest agent() {
        return QWEN_CODE;
    }

    /** It has the model go on after the part that it has seen, and puts both together as one answer into its history. */
    @Override
    int forksAfterPart() {
        return 1;
    }

    @Override
    void submitMore() throws Exception {
        submit(Kind.VLLM_BUFFERED, task("sub-agents", delegating()));
        submit(Kind.SGLANG_BUFFERED, task("memory", remembering()).withSettings(Map.of("memory", true)));
        submit(Kind.VLLM_NATIVE, task("compaction", compacting()).withSettings(Map.of("context_window", 64_000)));
    }

    /** Two helpers in the background; what they find comes as a message to the main agent, which has ended its turn by then. */
    private Policy delegating() {
        var main = AgentScript.of(
                first(),
                AgentScript.calls(at -> List.of(
                        delegate("general-purpose", "Count the files."), delegate("Explore", "Count the folders."))),
                written(),
                AgentScript.says("The sum is 42, and it stands in sum.txt."));
        var helper = AgentScript.of(
                AgentScript.calls(at -> List.of(agent().hands().run("ls | wc -l"))),
                AgentScript.says("There are some."));
        return AgentScript.forWhich(system(GENERAL).or(system(EXPLORE)), helper, main);
    }

    /** It notes things after a turn without tool calls alone. */
    private static Policy remembering() {
        return AgentScript.forWhich(
                system(MEMORY),
                AgentScript.of(AgentScript.says("There is nothing worth keeping.")),
                AgentScript.of(AgentScript.says("The sum is 42.")));
    }

    private static Answer.Call delegate(String kind, String task) {
        return AgentScript.call("agent", Map.of("description", task, "prompt", task, "subagent_type", kind));
    }

    private static Predicate<JsonNode> system(String opening) {
        return request -> request.at("/messages/0/content").asText().startsWith(opening);
    }

    private Policy compacting() {
        var before = AgentScript.of(
                first(), AgentScript.calls(at -> List.of(agent().hands().run("seq 1 2000"))));
        AgentScript.Turn summary = request -> new Policy.Decision(
                Answer.text("<analysis>All was read.</analysis>\n<state_snapshot>\n<overall_goal>Add up the numbers in "
                        + AgentScript.folder(request) + "</overall_goal>\n</state_snapshot>"));
        // In what is left of its history the agent itself has given one answer.
        var after = AgentScript.of(
                first(), first(), written(), AgentScript.says("The sum is 42, and it stands in sum.txt."));
        return (request, random) -> {
            var messages = request.path("messages");
            if (messages.get(messages.size() - 1).path("content").toString().contains(SUMMARISE)) {
                return summary.answer(request);
            }
            return (AgentScript.mentions(RESUMED).test(request) ? after : before).decide(request, random);
        };
    }

    @Test
    void helpers_in_the_background_are_sub_agents_of_their_own() throws Exception {
        session(Kind.VLLM_BUFFERED, "sub-agents").succeeded().delegated(2, 4);
    }

    @Test
    void the_notes_for_later_sessions_are_auxiliary_and_earn_nothing() throws Exception {
        var session = session(Kind.SGLANG_BUFFERED, "memory").auxiliary(1);

        assertThat(session.ending()).as(session.toString()).isEqualTo("done");
        assertThat(session.records("main")).hasSize(1);
        assertThat(session.traces("main")).hasSize(1);
    }

    @Test
    void a_compaction_is_labelled_and_so_is_what_resumes_from_it() throws Exception {
        var session = session(Kind.VLLM_NATIVE, "compaction").succeeded();

        assertThat(session.records())
                .as(session.toString())
                .extracting(record -> record.at("/metadata/segment_kind").asText(""))
                .containsSubsequence("", "compaction", "resumed")
                .containsOnly("", "compaction", "resumed");
        assertThat(session.stats().at("/breaks/first").asInt())
                .as(
                        "what was before, with its summary; what resumes; and once more, since the agent puts its note of the skills back before its history: %s",
                        session)
                .isEqualTo(3);
        assertThat(session.traces("main"))
                .filteredOn(trace ->
                        trace.at("/metadata/spans/0/segment_kind").asText("").equals("resumed"))
                .extracting(trace -> trace.at("/metadata/spans").size())
                .containsExactly(1, 2);
    }
}
