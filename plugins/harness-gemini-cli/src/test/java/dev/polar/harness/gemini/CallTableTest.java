package dev.polar.harness.gemini;

import static org.assertj.core.api.Assertions.assertThat;

import dev.polar.spi.ApiType;
import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

final class CallTableTest {
    private static final String MAIN =
            "You are Gemini CLI, an autonomous CLI agent specializing in software engineering";
    private static final String SNAPSHOT =
            "You are a specialized system component responsible for distilling chat history into a structured XML";
    private static final String CONTEXT = "<session_context>\nThis is the Gemini CLI.";
    private static final String BEGUN = "<state_snapshot>a part of it</state_snapshot>";

    @Test
    void calls_without_tools_are_auxiliary_beside_calls_with_tools() {
        var labels = CallTable.labels(List.of(
                simple("You are a specialized Task Routing AI.", "Fix it."),
                simple(MAIN, "Fix it.", "read_file", "replace"),
                simple("", "Analyze *only* the content and structure of your immediately preceding response")));

        assertThat(labels).containsExactly(CallLabel.AUXILIARY, CallLabel.MAIN, CallLabel.AUXILIARY);
    }

    @Test
    void a_session_without_tools_is_all_main() {
        assertThat(CallTable.labels(List.of(simple(MAIN, "a"), simple(MAIN, "b"))))
                .containsOnly(CallLabel.MAIN);
    }

    @Test
    void subagents_offer_the_tool_they_end_with_and_are_told_apart_by_their_task() {
        var labels = CallTable.labels(List.of(
                simple(MAIN, "Fix it.", "read_file", "invoke_agent"),
                simple(MAIN + " non-interactive", "look A", "read_file", "complete_task"),
                simple(MAIN + " non-interactive", "look B", "read_file", "complete_task"),
                simple("You are **Codebase Investigator**", "look A", "read_file", "complete_task"),
                simple(MAIN + " non-interactive", "look B", "read_file", "complete_task"),
                simple(MAIN, "Fix it.", "read_file", "invoke_agent")));

        assertThat(labels)
                .containsExactly(
                        CallLabel.MAIN,
                        new CallLabel("subagent", "subagent-1", null),
                        new CallLabel("subagent", "subagent-2", null),
                        new CallLabel("subagent", "subagent-3", null),
                        new CallLabel("subagent", "subagent-2", null),
                        CallLabel.MAIN);
    }

    @Test
    void a_snapshot_and_the_question_what_it_left_out_are_a_compaction_that_the_agent_resumes_from() {
        var labels = CallTable.labels(List.of(
                simple(MAIN, "Fix it.", "read_file"),
                simple(SNAPSHOT, "First, reason in your scratchpad. Then, generate the updated <state_snapshot>."),
                simple(SNAPSHOT, "Critically evaluate the <state_snapshot> you just generated."),
                simple(MAIN, "Please continue.", "read_file")));

        assertThat(labels)
                .containsExactly(
                        CallLabel.MAIN,
                        new CallLabel("main", null, "compaction"),
                        new CallLabel("main", null, "compaction"),
                        new CallLabel("main", null, "resumed"));
    }

    @Test
    void a_compaction_is_the_subagents_whose_history_it_begins_with_and_so_is_what_goes_on_from_its_summary() {
        var look = new String[] {"read_file", "complete_task"};
        var labels = CallTable.labels(List.of(
                call(MAIN, CONTEXT, "Fix it.", "read_file", "invoke_agent"),
                call(MAIN, "look A", "look A", look),
                call(MAIN, "look B", "look B", look),
                call(SNAPSHOT, "look B", "First, reason in your scratchpad."),
                call(SNAPSHOT, "look B", "Critically evaluate the <state_snapshot> you just generated."),
                call(MAIN, "look A", "look A", look),
                call(MAIN, BEGUN, "You must call complete_task.", look),
                call(SNAPSHOT, BEGUN, "First, reason in your scratchpad."),
                call(MAIN, "<state_snapshot>most of it</state_snapshot>", "You must call complete_task.", look),
                call(SNAPSHOT, CONTEXT, "First, reason in your scratchpad."),
                call(MAIN, CONTEXT, "Please continue.", "read_file", "invoke_agent")));

        assertThat(labels)
                .containsExactly(
                        CallLabel.MAIN,
                        new CallLabel("subagent", "subagent-1", null),
                        new CallLabel("subagent", "subagent-2", null),
                        new CallLabel("subagent", "subagent-2", "compaction"),
                        new CallLabel("subagent", "subagent-2", "compaction"),
                        new CallLabel("subagent", "subagent-1", null),
                        new CallLabel("subagent", "subagent-2", "resumed"),
                        new CallLabel("subagent", "subagent-2", "compaction"),
                        new CallLabel("subagent", "subagent-2", "resumed"),
                        new CallLabel("main", null, "compaction"),
                        new CallLabel("main", null, "resumed"));
    }

    @Test
    void a_subagent_whose_time_is_up_is_still_the_same() {
        var labels = CallTable.labels(List.of(
                simple(MAIN, "look A", "read_file", "complete_task"),
                simple(MAIN, "look B", "read_file", "complete_task"),
                call(
                        MAIN,
                        "look B",
                        "You have exceeded the maximum number of turns. You have one final chance",
                        "read_file",
                        "complete_task")));

        assertThat(labels).extracting(CallLabel::agent).containsExactly("subagent-1", "subagent-2", "subagent-2");
    }

    /** One whose task is all that its user has said. */
    private static CallFacts simple(String system, String task, String... tools) {
        return call(system, task, task, tools);
    }

    private static CallFacts call(String system, String firstUser, String lastUser, String... tools) {
        return new CallFacts(
                null,
                0,
                ApiType.GOOGLE,
                Map.of(),
                system,
                firstUser,
                lastUser,
                List.of(tools),
                1,
                OptionalInt.empty(),
                true);
    }
}
