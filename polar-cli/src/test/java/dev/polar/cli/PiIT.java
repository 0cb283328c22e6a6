package dev.polar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.polar.cli.AgentLab.Kind;
import dev.polar.sim.Answer;
import dev.polar.sim.Fault;
import dev.polar.sim.Policy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The real Pi: the contract in the dialect that it speaks by default, the task in the three others. */
class PiIT extends AgentContract {
    private static final List<String> OTHER_APIS = List.of("openai_responses", "anthropic", "google");

    private static final AgentUnderTest PI = new AgentUnderTest(
            "pi",
            Map.of("max_retries", 1, "retry_delay_ms", 100),
            Map.of(),
            new AgentUnderTest.Hands() {
                @Override
                public Answer.Call run(String command) {
                    return AgentScript.call("bash", Map.of("command", command));
                }

                @Override
                public Answer.Call write(String path, String content) {
                    return AgentScript.call("write", Map.of("path", path, "content", content));
                }
            },
            true,
            null);

    @Override
    AgentUnderTest agent() {
        return PI;
    }

    @Override
    void submitMore() throws Exception {
        for (var api : OTHER_APIS) {
            for (var kind : Kind.values()) {
                submit(kind, task(api, sum()).withSettings(Map.of("api", api)));
            }
            submit(
                    Kind.VLLM_NATIVE,
                    task(
                                    api + "-failing",
                                    AgentScript.of(
                                            first(),
                                            AgentScript.fails(
                                                    Fault.of(Fault.Kind.CUT).after(6))))
                            .withSettings(Map.of("api", api)));
        }
        submit(Kind.VLLM_BUFFERED, task("compacted", compacted()).withSettings(Map.of("compaction", true)));
    }

    static Stream<Arguments> dialects() {
        return OTHER_APIS.stream().flatMap(api -> Stream.of(Kind.values()).map(kind -> Arguments.of(api, kind)));
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("dialects")
    void it_does_the_task_in_each_dialect_and_its_main_line_is_one_trace(String api, Kind kind) throws Exception {
        var session = session(kind, api).succeeded();

        assertThat(session.records("main"))
                .as(session.toString())
                .hasSize(4)
                .allSatisfy(record ->
                        assertThat(record.at("/metadata/api_type").asText()).isEqualTo(api));
        assertThat(session.traces("main")).as(session.toString()).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("otherApis")
    void an_answer_that_is_cut_again_and_again_is_an_engines_fault_in_each_dialect(String api) throws Exception {
        var session = session(Kind.VLLM_NATIVE, api + "-failing");

        assertThat(session.result().path("status").asText())
                .as(session.toString())
                .isEqualTo("ERROR");
        assertThat(session.ending()).as(session.toString()).isEqualTo("engine_fault");
    }

    static List<String> otherApis() {
        return OTHER_APIS;
    }

    /** From the third turn on nothing fits until the agent has summed up; a summary is asked for without tools. */
    private Policy compacted() {
        var turns = List.of(first(), both(), written(), AgentScript.says("The sum is 42, and it stands in sum.txt."));
        var full = AgentScript.fails(Fault.status(400).saying("This model's maximum context length is 4096 tokens."));
        var answered = new AtomicInteger();
        var summedUp = new AtomicBoolean();
        return (request, random) -> {
            if (request.path("tools").isEmpty()) {
                summedUp.set(true);
                return new Policy.Decision(Answer.text("The note was read. The numbers are 17 and 25."));
            }
            return answered.get() == 2 && !summedUp.get()
                    ? full.answer(request)
                    : turns.get(Math.min(answered.getAndIncrement(), turns.size() - 1))
                            .answer(request);
        };
    }

    /** It goes on in silence then: what it did is in the record alone. */
    @Test
    void a_compaction_is_labelled_and_nothing_of_what_is_before_and_after_it_is_lost() throws Exception {
        var session = session(Kind.VLLM_BUFFERED, "compacted");

        assertThat(session.records())
                .as(session.toString())
                .extracting(record -> record.at("/metadata/segment_kind").asText(""))
                .containsOnlyOnce("compaction")
                .containsSubsequence("", "", "compaction", "resumed");
        assertThat(session.traces("main"))
                .as("the turns before, the summary, the turns after")
                .hasSize(3);
    }
}
