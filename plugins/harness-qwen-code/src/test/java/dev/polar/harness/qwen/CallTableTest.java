package dev.polar.harness.qwen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.polar.spi.ApiType;
import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** The system prompts and last messages are openings of those that version 0.24.4 sends. */
final class CallTableTest {
    private static final String MAIN = "You are Qwen Code, a non-interactive CLI agent developed by Alibaba Group";
    private static final String GENERAL = "You are a general-purpose subagent working for a parent agent.";
    private static final String EXPLORE = "You are a file search specialist agent.";
    private static final String SUMMARISE =
            "First, reason in your <analysis> block. Then, produce the <state_snapshot> XML.";
    private static final String RESUME =
            "<state_snapshot>...</state_snapshot>\n\nResume the prior task using the summary above.";
    private static final List<String> TOOLS = List.of("agent", "edit", "run_shell_command");
    private static final List<String> FEWER = List.of("edit", "run_shell_command");

    @Test
    void sub_agents_in_the_background_are_told_apart_by_system_prompt_and_task() {
        var labels = CallTable.labels(List.of(
                call(MAIN, "go", TOOLS),
                call(MAIN, "go", TOOLS),
                call(EXPLORE, "count the folders", FEWER),
                call(GENERAL, "count the files", FEWER),
                call(GENERAL, "count the lines", FEWER),
                call(EXPLORE, "count the folders", FEWER),
                call(GENERAL, "count the lines", FEWER),
                call(GENERAL, "count the files", FEWER),
                call(MAIN, "<task-notification>", TOOLS)));

        assertThat(labels)
                .containsExactly(
                        CallLabel.MAIN,
                        CallLabel.MAIN,
                        subAgent(1, null),
                        subAgent(2, null),
                        subAgent(3, null),
                        subAgent(1, null),
                        subAgent(3, null),
                        subAgent(2, null),
                        CallLabel.MAIN);
    }

    @Test
    void a_sub_agent_that_is_sent_a_message_stays_the_same_one() {
        var labels = CallTable.labels(List.of(
                call(MAIN, "go", TOOLS),
                call(GENERAL, "count the files", FEWER),
                call(GENERAL, "count the files", "and the folders", FEWER),
                call(GENERAL, "count the lines", FEWER)));

        assertThat(labels).containsExactly(CallLabel.MAIN, subAgent(1, null), subAgent(1, null), subAgent(2, null));
    }

    @Test
    void a_copy_of_the_main_agent_is_a_sub_agent_of_its_own() {
        var labels = CallTable.labels(
                List.of(call(MAIN, "go", TOOLS), call(MAIN, "go", "Begin.", TOOLS), call(MAIN, "go", TOOLS)));

        assertThat(labels).containsExactly(CallLabel.MAIN, new CallLabel("subagent", "fork", null), CallLabel.MAIN);
    }

    @Test
    void side_calls_and_the_helpers_for_later_sessions_are_auxiliary() {
        var labels = CallTable.labels(List.of(
                call(MAIN, "go", TOOLS),
                call("Generate a concise, sentence-case title", "Generate the session title now.", List.of()),
                call(MAIN, "Analyze *only* the content", List.of("respond_in_schema")),
                call("You are now acting as the managed memory extraction subagent for an AI", "Managed memory", FEWER),
                call("You are performing a managed memory dream", "dream", FEWER),
                call("You are reviewing this conversation to extract reusable skills.", "review", FEWER)));

        assertThat(labels.getFirst()).isEqualTo(CallLabel.MAIN);
        assertThat(labels.subList(1, 6)).containsOnly(CallLabel.AUXILIARY);
    }

    @Test
    void a_compaction_is_its_agents_and_a_history_that_begins_with_the_summary_is_resumed() {
        var labels = CallTable.labels(List.of(
                call(MAIN, "go", TOOLS),
                call(MAIN, "go", TOOLS),
                call(MAIN, "go", SUMMARISE, TOOLS),
                call(MAIN, RESUME, TOOLS),
                call(MAIN, RESUME, TOOLS),
                call(GENERAL, "count", FEWER)));

        assertThat(labels)
                .containsExactly(
                        CallLabel.MAIN,
                        CallLabel.MAIN,
                        new CallLabel("main", null, "compaction"),
                        new CallLabel("main", null, "resumed"),
                        new CallLabel("main", null, "resumed"),
                        subAgent(1, null));
    }

    @Test
    void a_sub_agents_compaction_and_what_resumes_from_it_are_the_sub_agents() {
        var labels = CallTable.labels(List.of(
                call(MAIN, "go", TOOLS),
                call(GENERAL, "count", FEWER),
                call(GENERAL, "count", FEWER),
                call(GENERAL, "count", SUMMARISE, FEWER),
                call(GENERAL, RESUME, FEWER),
                call(GENERAL, "count the lines", FEWER),
                call(MAIN, "go", TOOLS)));

        assertThat(labels)
                .containsExactly(
                        CallLabel.MAIN,
                        subAgent(1, null),
                        subAgent(1, null),
                        subAgent(1, "compaction"),
                        subAgent(1, "resumed"),
                        subAgent(2, null),
                        CallLabel.MAIN);
    }

    @Test
    void a_summary_that_did_not_come_resumes_nothing() {
        var labels = CallTable.labels(List.of(
                call(MAIN, "go", TOOLS),
                call("You are the component that summarizes a conversation", SUMMARISE, List.of()),
                call(MAIN, "go", TOOLS)));

        assertThat(labels).containsExactly(CallLabel.MAIN, new CallLabel("main", null, "compaction"), CallLabel.MAIN);
    }

    @Test
    void a_session_without_tools_is_all_main_and_so_is_a_system_prompt_of_the_tasks_own() {
        assertThat(CallTable.labels(List.of(call("a", "x", List.of()), call("b", "y", List.of()))))
                .containsOnly(CallLabel.MAIN);
        assertThat(CallTable.labels(List.of(call("Be brief.", "x", TOOLS), call("Be brief.", "x", TOOLS))))
                .containsOnly(CallLabel.MAIN);
    }

    private static CallLabel subAgent(int number, String segmentKind) {
        return new CallLabel("subagent", "subagent-" + number, segmentKind);
    }

    private static CallFacts call(String system, String user, List<String> tools) {
        return call(system, user, user, tools);
    }

    private static CallFacts call(String system, String firstUser, String lastUser, List<String> tools) {
        return new CallFacts(
                null,
                0,
                ApiType.OPENAI_CHAT,
                Map.of(),
                system,
                firstUser,
                lastUser,
                tools,
                4,
                OptionalInt.empty(),
                true);
    }
}
