package dev.polar.continuation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.polar.capture.RecordStore;
import dev.polar.capture.RecordedCalls;
import dev.polar.topology.GatewayConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SessionTurnsTest {
    private final RecordedCalls calls = new RecordedCalls(new RecordStore(
                    Path.of("nowhere"), new GatewayConfig.Persistence(false, 1, 1, 1, 1, 1, GatewayConfig.Fsync.NONE))
            .create("s", "t"));
    private final SessionTurns turns = new SessionTurns(calls.recorder());

    private static History history(String... texts) {
        var request = JsonNodeFactory.instance.objectNode();
        var messages = request.putArray("messages");
        for (int i = 0; i < texts.length; i++) {
            messages.addObject().put("role", i % 2 == 0 ? "user" : "assistant").put("content", texts[i]);
        }
        return History.of(request, Set.of());
    }

    private void answered(RecordedCalls.Call call) {
        turns.add(history("hello"), History.answer("hi", List.of()), List.of(), call.record(), 2, 0, true, null);
    }

    @Test
    void an_answer_that_is_in_the_record_is_gone_on_from() {
        answered(calls.call(new int[] {1, 2}, new int[] {}));
        var found = turns.find(history("hello", "hi", "more"));
        assertThat(found.candidates()).hasSize(1);
        assertThat(found.missed()).isFalse();
    }

    /** Two sub-agents that were given the same task, and a model that answers both alike. */
    @Test
    void of_answers_that_are_the_same_the_ids_of_their_calls_tell_which_came_back() {
        for (var id : List.of("call-a", "call-b")) {
            var made = List.of(new Answered.Call(id, "look", "{}"));
            turns.add(
                    history("hello"),
                    History.answer("", made),
                    History.ids(made),
                    calls.call(new int[] {1, 2}, new int[] {3}).record(),
                    2,
                    1,
                    true,
                    null);
        }
        for (var id : List.of("call-a", "call-b")) {
            var request = JsonNodeFactory.instance.objectNode();
            var messages = request.putArray("messages");
            messages.addObject().put("role", "user").put("content", "hello");
            var call = messages.addObject()
                    .put("role", "assistant")
                    .putArray("tool_calls")
                    .addObject();
            call.put("id", id).putObject("function").put("name", "look").put("arguments", "{}");
            messages.addObject().put("role", "tool").put("content", "sun");
            var found = turns.find(History.of(request, Set.of()));
            assertThat(found.candidates()).hasSize(2);
            assertThat(found.candidates().getFirst().callIds()).containsExactly(id);
        }
    }

    /** An engine that gives no finish reason and an empty list of ids has answered nothing: the record counts a failed call. */
    @Test
    void an_answer_that_the_record_did_not_take_is_not_gone_on_from() {
        answered(calls.call(new int[] {1, 2}, new int[] {}).unanswered());
        assertThat(calls.recorder().completionCount()).isZero();
        var found = turns.find(history("hello", "hi", "more"));
        assertThat(found.candidates()).isEmpty();
        assertThat(found.none()).isTrue();
        assertThat(found.missed()).isTrue();
    }
}
