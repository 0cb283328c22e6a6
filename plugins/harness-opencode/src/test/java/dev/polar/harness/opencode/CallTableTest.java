package dev.polar.harness.opencode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.polar.spi.ApiType;
import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** The system prompts are openings of those that version 1.18.33 sends. */
final class CallTableTest {
    private static final String MAIN = "You are opencode, an interactive CLI tool";
    private static final String SUMMARISE = "You are a context summarization agent. You are given a conversation";
    private static final List<String> TOOLS = List.of("bash", "edit", "task");

    @Test
    void sub_agents_are_told_apart_by_their_sessions_and_the_title_is_auxiliary() {
        var labels = CallTable.labels(List.of(
                call("You are a title generator. You output ONLY a thread title.", "s", null, List.of()),
                call(MAIN, "s", null, TOOLS),
                call(MAIN, "s1", "s", TOOLS),
                call("You are a file search specialist.", "s2", "s", TOOLS),
                call(MAIN, "s1", "s", TOOLS),
                call(MAIN, "s", null, TOOLS)));

        assertThat(labels)
                .containsExactly(
                        CallLabel.AUXILIARY,
                        CallLabel.MAIN,
                        new CallLabel("subagent", "s1", null),
                        new CallLabel("subagent", "s2", null),
                        new CallLabel("subagent", "s1", null),
                        CallLabel.MAIN);
    }

    @Test
    void a_compaction_is_its_sessions_which_is_resumed_from_it() {
        var labels = CallTable.labels(List.of(
                call(MAIN, "s", null, TOOLS),
                call(MAIN, "s1", "s", TOOLS),
                call(SUMMARISE, "s1", "s", List.of()),
                call(MAIN, "s1", "s", TOOLS),
                call(MAIN, "s", null, TOOLS),
                call(SUMMARISE, "s", null, List.of()),
                call(MAIN, "s", null, TOOLS)));

        assertThat(labels)
                .containsExactly(
                        CallLabel.MAIN,
                        new CallLabel("subagent", "s1", null),
                        new CallLabel("subagent", "s1", "compaction"),
                        new CallLabel("subagent", "s1", "resumed"),
                        CallLabel.MAIN,
                        new CallLabel("main", null, "compaction"),
                        new CallLabel("main", null, "resumed"));
    }

    @Test
    void a_session_without_tools_is_all_main() {
        assertThat(CallTable.labels(List.of(call("", "s", null, List.of()), call("", "s", null, List.of()))))
                .containsOnly(CallLabel.MAIN);
    }

    private static CallFacts call(String system, String session, String parent, List<String> tools) {
        Map<String, String> headers = parent == null
                ? Map.of(CallTable.SESSION_HEADER, session)
                : Map.of(CallTable.SESSION_HEADER, session, CallTable.PARENT_HEADER, parent);
        return new CallFacts(null, 0, ApiType.OPENAI_CHAT, headers, system, "go", tools, 2, OptionalInt.empty(), true);
    }
}
