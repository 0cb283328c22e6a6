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
                call(MAIN, "go", 2, TOOLS),
                call(MAIN, "go", 5, TOOLS),
                call(EXPLORE, "count the folders", 2, FEWER),
                call(GENERAL, "count the files", 2, FEWER),
                call(GENERAL, "count the lines", 2, FEWER),
                call(EXPLORE, "count the folders", 4, FEWER),
                call(GENERAL, "count the lines", 4, FEWER),
                call(GENERAL, "count the files", 4, FEWER),
                call(MAIN, "<task-notification>", 7, TOOLS)));

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
                call(MAIN, "go", 2, TOOLS),
                call(GENERAL, "count the files", 2, FEWER),
                call(GENERAL, "and the folders", 5, FEWER),
                call(GENERAL, "count the lines", 2, FEWER)));

        assertThat(labels).containsExactly(CallLabel.MAIN, subAgent(1, null), subAgent(1, null), subAgent(2, null));
    }

    @Test
    void a_copy_of_the_main_agent_is_a_sub_agent_of_its_own() {
        var labels = CallTable.labels(
                List.of(call(MAIN, "go", 2, TOOLS), call(MAIN, "Begin.", 6, TOOLS), call(MAIN, "go", 4, TOOLS)));

        assertThat(labels).containsExactly(CallLabel.MAIN, new CallLabel("subagent", "fork", null), CallLabel.MAIN);
    }

    @Test
    void side_calls_and_the_helpers_for_later_sessions_are_auxiliary() {
        var labels = CallTable.labels(List.of(
                call(MAIN, "go", 2, TOOLS),
                call("Generate a concise, sentence-case title", "Generate the session title now.", 2, List.of()),
                call(MAIN, "Analyze *only* the content", 4, List.of("respond_in_schema")),
                call(
                        "You are now acting as the managed memory extraction subagent for an AI",
                        "Managed memory",
                        4,
                        FEWER),
                call("You are performing a managed memory dream", "dream", 2, FEWER),
                call("You are reviewing this conversation to extract reusable skills.", "review", 2, FEWER)));

        assertThat(labels.getFirst()).isEqualTo(CallLabel.MAIN);
        assertThat(labels.subList(1, 6)).containsOnly(CallLabel.AUXILIARY);
    }

    @Test
    void a_compaction_is_its_agents_and_the_shorter_history_after_it_is_resumed() {
        var labels = CallTable.labels(List.of(
                call(MAIN, "go", 2, TOOLS),
                call(MAIN, "go", 4, TOOLS),
                call(MAIN, SUMMARISE, 7, TOOLS),
                call(MAIN, RESUME, 4, TOOLS),
                call(MAIN, RESUME, 6, TOOLS),
                call(GENERAL, "count", 2, FEWER)));

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
                call(MAIN, "go", 2, TOOLS),
                call(GENERAL, "count", 2, FEWER),
                call(GENERAL, "count", 8, FEWER),
                call(GENERAL, SUMMARISE, 9, FEWER),
                call(GENERAL, RESUME, 4, FEWER),
                call(MAIN, "go", 4, TOOLS)));

        assertThat(labels)
                .containsExactly(
                        CallLabel.MAIN,
                        subAgent(1, null),
                        subAgent(1, null),
                        subAgent(1, "compaction"),
                        subAgent(1, "resumed"),
                        CallLabel.MAIN);
    }

    @Test
    void a_summary_that_did_not_come_resumes_nothing() {
        var labels = CallTable.labels(List.of(
                call(MAIN, "go", 4, TOOLS),
                call("You are the component that summarizes a conversation", SUMMARISE, 5, List.of()),
                call(MAIN, "go", 4, TOOLS)));

        assertThat(labels).containsExactly(CallLabel.MAIN, new CallLabel("main", null, "compaction"), CallLabel.MAIN);
    }

    @Test
    void a_session_without_tools_is_all_main_and_so_is_a_system_prompt_of_the_tasks_own() {
        assertThat(CallTable.labels(List.of(call("a", "x", 2, List.of()), call("b", "y", 2, List.of()))))
                .containsOnly(CallLabel.MAIN);
        assertThat(CallTable.labels(List.of(call("Be brief.", "x", 2, TOOLS), call("Be brief.", "x", 4, TOOLS))))
                .containsOnly(CallLabel.MAIN);
    }

    private static CallLabel subAgent(int number, String segmentKind) {
        return new CallLabel("subagent", "subagent-" + number, segmentKind);
    }

    private static CallFacts call(String system, String lastUser, int messages, List<String> tools) {
        return new CallFacts(
                null, 0, ApiType.OPENAI_CHAT, Map.of(), system, lastUser, tools, messages, OptionalInt.empty(), true);
    }
}
