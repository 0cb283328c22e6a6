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

    @Test
    void calls_without_tools_are_auxiliary_beside_calls_with_tools() {
        var labels = CallTable.labels(List.of(
                call("You are a specialized Task Routing AI.", "Fix it."),
                call(MAIN, "Fix it.", "read_file", "replace"),
                call("", "Analyze *only* the content and structure of your immediately preceding response")));

        assertThat(labels).containsExactly(CallLabel.AUXILIARY, CallLabel.MAIN, CallLabel.AUXILIARY);
    }

    @Test
    void a_session_without_tools_is_all_main() {
        assertThat(CallTable.labels(List.of(call(MAIN, "a"), call(MAIN, "b")))).containsOnly(CallLabel.MAIN);
    }

    @Test
    void subagents_offer_the_tool_they_end_with_and_are_told_apart_by_their_task() {
        var labels = CallTable.labels(List.of(
                call(MAIN, "Fix it.", "read_file", "invoke_agent"),
                call(MAIN + " non-interactive", "look A", "read_file", "complete_task"),
                call(MAIN + " non-interactive", "look B", "read_file", "complete_task"),
                call("You are **Codebase Investigator**", "look A", "read_file", "complete_task"),
                call(MAIN + " non-interactive", "look B", "read_file", "complete_task"),
                call(MAIN, "Fix it.", "read_file", "invoke_agent")));

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
                call(MAIN, "Fix it.", "read_file"),
                call(SNAPSHOT, "First, reason in your scratchpad. Then, generate the updated <state_snapshot>."),
                call(SNAPSHOT, "Critically evaluate the <state_snapshot> you just generated."),
                call(MAIN, "Please continue.", "read_file")));

        assertThat(labels)
                .containsExactly(
                        CallLabel.MAIN,
                        new CallLabel("main", null, "compaction"),
                        new CallLabel("main", null, "compaction"),
                        new CallLabel("main", null, "resumed"));
    }

    @Test
    void a_subagent_whose_time_is_up_is_still_the_same() {
        var labels = CallTable.labels(List.of(
                call(MAIN, "look A", "read_file", "complete_task"),
                call(MAIN, "look B", "read_file", "complete_task"),
                new CallFacts(
                        null,
                        0,
                        ApiType.GOOGLE,
                        Map.of(),
                        MAIN,
                        "look B",
                        "You have exceeded the maximum number of turns. You have one final chance",
                        List.of("read_file", "complete_task"),
                        9,
                        OptionalInt.empty(),
                        true)));

        assertThat(labels).extracting(CallLabel::agent).containsExactly("subagent-1", "subagent-2", "subagent-2");
    }

    private static CallFacts call(String system, String lastUser, String... tools) {
        return new CallFacts(
                null, 0, ApiType.GOOGLE, Map.of(), system, lastUser, List.of(tools), 1, OptionalInt.empty(), true);
    }
}
