package dev.polar.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.polar.proxy.FailedCall;
import dev.polar.spi.ApiType;
import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import dev.polar.spi.CallSummary;
import dev.polar.spi.CallSummary.End;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class AgentCallsTest {
    private static CallFacts facts(String id, long sequence, String... tools) {
        return new CallFacts(
                id, sequence, ApiType.ANTHROPIC, Map.of(), "", "go", List.of(tools), 1, OptionalInt.empty(), true);
    }

    private static FailedCall failed(long sequence, String... tools) {
        return new FailedCall(
                facts(null, sequence, tools), new CallSummary.Call(End.ENGINE_FAULT, 500, "out of order", null));
    }

    /** A call without tools is auxiliary. */
    private static List<CallLabel> byTools(List<CallFacts> calls) {
        return calls.stream()
                .map(call -> call.tools().isEmpty() ? CallLabel.AUXILIARY : CallLabel.MAIN)
                .toList();
    }

    @Test
    void a_classifier_sees_the_failed_calls_among_the_others_and_labels_only_what_is_on_record() {
        var seen = new ArrayList<Long>();
        var calls = new AgentCalls(List.of(failed(2, "run"), failed(4)), all -> {
            all.forEach(call -> seen.add(call.sequence()));
            return byTools(all);
        });

        var labels = calls.classify(List.of(facts("a", 1, "run"), facts("b", 3)));

        assertThat(seen).containsExactly(1L, 2L, 3L, 4L);
        assertThat(labels).containsExactly(CallLabel.MAIN, CallLabel.AUXILIARY);
    }

    @Test
    void an_answer_that_broke_off_is_shown_to_the_classifier_once() {
        var calls = new AgentCalls(List.of(failed(1, "run")), AgentCallsTest::byTools);

        assertThat(calls.classify(List.of(facts("a", 1, "run")))).containsExactly(CallLabel.MAIN);
    }
}
