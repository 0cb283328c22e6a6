package dev.polar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.cli.AgentLab.Kind;
import dev.polar.cli.AgentLab.Submitted;
import dev.polar.sim.Fault;
import dev.polar.sim.Policy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What every agent fulfils, as npm has it, against the simulated model: a subclass names the agent and adds what is its own. All sessions are submitted first and run side by side; each test waits
 * for its own.
 */
@Execution(ExecutionMode.CONCURRENT)
@ExtendWith(AgentLab.Ends.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class AgentContract {
    private static final String OVERFLOW =
            "This model's maximum context length is 131072 tokens. However, your request has 140000 input tokens.";

    private final Map<String, Submitted> submitted = new LinkedHashMap<>();

    private Path folder;

    abstract AgentUnderTest agent();

    /** What else is to run beside the contract's sessions: submitted before the first test. */
    void submitMore() throws Exception {}

    @BeforeAll
    void submitAll(@TempDir Path temporary) throws Exception {
        folder = temporary;
        Needed.agents();
        AgentLab.startAll();
        // Agents that wait for an engine to recover wait long: they come first, so that the others work meanwhile.
        for (var fault : FAULTS.entrySet()) {
            submit(kindOf(fault.getKey()), task(fault.getKey(), failing(fault.getValue())));
        }
        submit(Kind.VLLM_NATIVE, task("retried", retried()));
        submit(Kind.VLLM_BUFFERED, task("retried", retried()));
        for (var kind : Kind.values()) {
            for (var builder : List.of("prefix_merging", "per_request")) {
                submit(kind, task("task-" + builder, sum()).builtBy(builder));
            }
        }
        submit(
                Kind.VLLM_BUFFERED,
                task("held", failing(Fault.of(Fault.Kind.SILENCE))).within(8));
        submitMore();
        submit(Kind.VLLM_BUFFERED, toolServerTask());
        submit(Kind.VLLM_BUFFERED, skillTask());
    }

    final AgentTask task(String name, Policy model) {
        return AgentTask.of(agent(), name, model);
    }

    final void submit(Kind kind, AgentTask task) throws Exception {
        submit(kind, task, unchanged -> {});
    }

    /** @param change of what is submitted, where a task of the lab cannot say it */
    final void submit(Kind kind, AgentTask task, Consumer<ObjectNode> change) throws Exception {
        submitted.put(kind + "/" + task.name(), AgentLab.of(kind).submit(task, change));
    }

    /** The end of a session that was submitted, with all its tokens proved. */
    final AgentSession session(Kind kind, String name) throws InterruptedException {
        return submitted.get(kind + "/" + name).await().proved();
    }

    /** Reads the note, reads both numbers at once, writes the sum, says so. */
    final AgentScript sum() {
        return AgentScript.of(first(), both(), written(), AgentScript.says("The sum is 42, and it stands in sum.txt."));
    }

    final AgentScript.Turn first() {
        return AgentScript.calls(at -> List.of(agent().hands().run("pwd; cat notes.txt")));
    }

    final AgentScript.Turn both() {
        return AgentScript.calls(at -> {
            var one = agent().hands().run("cat one.txt");
            var two = agent().hands().run("cat two.txt");
            return agent().parallel() ? List.of(one, two) : List.of(one);
        });
    }

    final AgentScript.Turn written() {
        return AgentScript.calls(at -> List.of(agent().hands().write(at + "/sum.txt", "42\n")));
    }

    private AgentScript retried() {
        return AgentScript.of(
                first(),
                AgentScript.failsFirst(1, Fault.of(Fault.Kind.CUT).after(6), both()),
                written(),
                AgentScript.says("The sum is 42, and it stands in sum.txt."));
    }

    /** The first call goes well; those after it never. */
    private AgentScript failing(Fault fault) {
        return AgentScript.of(first(), AgentScript.fails(fault));
    }

    static Stream<org.junit.jupiter.params.provider.Arguments> runs() {
        return Stream.of(Kind.values())
                .flatMap(kind -> Stream.of("prefix_merging", "per_request")
                        .map(builder -> org.junit.jupiter.params.provider.Arguments.of(kind, builder)));
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("runs")
    void it_does_a_task_and_each_token_of_it_is_proved(Kind kind, String builder) throws Exception {
        var session = session(kind, "task-" + builder).succeeded();

        assertThat(session.records("main")).as(session.toString()).hasSizeGreaterThanOrEqualTo(4);
        assertThat(session.trained()).isPositive();
        if (agent().parallel()) {
            assertThat(session.records())
                    .as("an answer with two tool calls")
                    .anyMatch(record ->
                            record.at("/response/choices/0/message/tool_calls").size() == 2);
        }
        if (builder.equals("prefix_merging")) {
            assertThat(session.traces("main")).as(session.toString()).hasSize(1);
        }
    }

    @ParameterizedTest
    @CsvSource({"VLLM_BUFFERED", "VLLM_NATIVE"})
    void an_answer_that_the_engine_cut_is_asked_for_again_and_nothing_is_lost_or_trained_twice(Kind kind)
            throws Exception {
        var session = session(kind, "retried").succeeded();

        assertThat(session.agentResult().at("/calls/failed").asInt())
                .as(session.toString())
                .isPositive();
    }

    private static final Map<String, Fault> FAULTS = faults();

    private static Map<String, Fault> faults() {
        var faults = new LinkedHashMap<String, Fault>();
        faults.put("429", Fault.status(429).retryAfter(1));
        faults.put("500", Fault.status(500).retryAfter(1));
        faults.put("503", Fault.status(503).retryAfter(1));
        faults.put("529", Fault.status(529).retryAfter(1));
        faults.put("context", Fault.status(400).saying(OVERFLOW));
        faults.put("cut-before", Fault.of(Fault.Kind.CUT));
        faults.put("cut-within", Fault.of(Fault.Kind.CUT).after(6));
        faults.put("error-within", Fault.of(Fault.Kind.ERROR_CHUNK).after(6));
        return faults;
    }

    private static final Set<String> OF_SGLANG = Set.of("500", "503", "529");

    private static Kind kindOf(String fault) {
        if (fault.endsWith("-within")) {
            return Kind.VLLM_NATIVE;
        }
        return OF_SGLANG.contains(fault) ? Kind.SGLANG_BUFFERED : Kind.VLLM_BUFFERED;
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource({
        "429, engine_fault",
        "500, engine_fault",
        "503, engine_fault",
        "529, engine_fault",
        "context, out_of_context",
        "cut-before, engine_fault",
        "cut-within, engine_fault",
        "error-within, engine_fault"
    })
    void an_engine_that_goes_on_failing_is_told_as_what_it_is(String fault, String ending) throws Exception {
        var session = session(kindOf(fault), fault);

        assertThat(session.result().path("status").asText())
                .as(session.toString())
                .isEqualTo("ERROR");
        assertThat(session.ending()).as(session.toString()).isEqualTo(ending);
        assertThat(session.trained()).isZero();
    }

    @Test
    void an_agent_that_waits_in_vain_until_its_time_is_up_has_timed_out() throws Exception {
        var session = session(Kind.VLLM_BUFFERED, "held");

        assertThat(session.result().path("status").asText())
                .as(session.toString())
                .isEqualTo("TIMEOUT");
        assertThat(session.ending()).isEqualTo("timed_out");
    }

    private AgentTask toolServerTask() throws Exception {
        var model = AgentScript.of(
                first(),
                AgentScript.calls(
                        at -> List.of(AgentScript.call(agent().toolServerCall(), Map.of("text", "strawberry")))),
                written(),
                AgentScript.says("Done."));
        return task("tool-server", model)
                .withToolServer(Map.of(
                        "name",
                        "counter",
                        "transport",
                        "stdio",
                        "command",
                        "python3",
                        "args",
                        List.of("/polar/session/tools/counter.py")))
                .withUpload(
                        Path.of(AgentContract.class.getResource("counter.py").toURI()),
                        "/polar/session/tools/counter.py");
    }

    @Test
    void a_tool_of_a_stdio_server_is_offered_called_and_its_result_seen_or_the_server_refused_by_name()
            throws Exception {
        var session = session(Kind.VLLM_BUFFERED, "tool-server");
        if (agent().toolServerCall() == null) {
            assertThat(session.result().path("status").asText()).isEqualTo("ERROR");
            assertThat(session.result().path("error").asText()).contains("takes no tool servers", "counter");
            return;
        }
        session.succeeded();

        assertThat(session.records().getLast().path("request").path("messages").toString())
                .contains("10 characters by the counter");
    }

    private AgentTask skillTask() throws Exception {
        var skill = Files.createDirectories(folder.resolve("skills/adding"));
        Files.writeString(
                skill.resolve("SKILL.md"),
                "---\nname: adding\ndescription: Adds up the frobnicated numbers of a folder\n---\nUse expr.\n");
        return task("skill", sum()).withSkills(folder.resolve("skills").toString());
    }

    @Test
    void a_skill_is_told_to_the_model() throws Exception {
        var session = session(Kind.VLLM_BUFFERED, "skill").succeeded();

        var seen = new ArrayList<String>();
        session.records().forEach(record -> seen.add(record.path("request").toString()));
        assertThat(seen).anyMatch(request -> request.contains("Adds up the frobnicated numbers of a folder"));
    }
}
