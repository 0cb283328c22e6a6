package dev.polar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.cli.AgentLab.Kind;
import dev.polar.cli.AgentLab.Submitted;
import dev.polar.sim.Answer;
import dev.polar.sim.Fault;
import dev.polar.sim.Policy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What every agent fulfils, as npm has it, against the simulated model: a subclass names the agent and adds what is its own. All sessions are submitted first and run side by side; each test waits
 * for its own.
 */
@Execution(ExecutionMode.CONCURRENT)
@ExtendWith(AgentLab.Ends.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class AgentContract {
    private static final String SUM = "The sum is 42, and it stands in sum.txt.";

    private final Map<Kind, AgentScript.Counted> late = Map.of(
            Kind.VLLM_BUFFERED, saysLate(EngineTrouble.pauseAfter(0)),
            Kind.VLLM_NATIVE, saysLate(EngineTrouble.pauseAfter(3)));
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
        // What waits long goes first, so that the others work meanwhile: an engine's silence, and agents that wait for
        // it to recover.
        for (var kind : late.keySet()) {
            submit(kind, task("late", AgentScript.of(first(), written(), late.get(kind))));
        }
        for (var trouble : EngineTrouble.values()) {
            submit(trouble.lab, task(trouble.name(), failing(trouble.fault(agent()))));
        }
        submit(Kind.VLLM_NATIVE, task("retried", retried()));
        submit(Kind.VLLM_BUFFERED, task("retried", retried()));
        for (var kind : Kind.values()) {
            submit(kind, task("task", sum()));
        }
        submit(Kind.VLLM_BUFFERED, skillTask().builtBy("per_request"));
        submit(
                Kind.SGLANG_BUFFERED,
                task("held", failing(Fault.of(Fault.Kind.SILENCE))).within(HELD_SECONDS));
        submit(Kind.VLLM_BUFFERED, task("length", cutByLimit()).withSampling(Map.of("max_tokens", LIMIT)));
        submitMore();
        submit(
                Kind.VLLM_BUFFERED,
                task("instruction", AgentScript.of(AgentScript.says("Done."))).withInstruction(ODD));
        submit(Kind.VLLM_BUFFERED, toolServerTask());
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
        return AgentScript.of(first(), both(), written(), AgentScript.says(SUM));
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
                AgentScript.says(SUM));
    }

    /** The first call goes well; those after it never. */
    private AgentScript failing(Fault fault) {
        return AgentScript.of(first(), AgentScript.fails(fault));
    }

    /** What the other builder makes of the same record is checked with that of all other sessions, after the last test. */
    @ParameterizedTest
    @EnumSource
    void it_does_a_task_whose_main_line_is_one_trace_with_each_token_proved(Kind kind) throws Exception {
        var session = session(kind, "task").succeeded();

        assertThat(session.records("main")).as(session.toString()).hasSizeGreaterThanOrEqualTo(4);
        assertThat(session.trained()).isPositive();
        assertThat(session.agentResult().path("warnings"))
                .as(session.toString())
                .isEmpty();
        if (agent().parallel()) {
            assertThat(session.records())
                    .as("an answer with two tool calls")
                    .anyMatch(record ->
                            record.at("/response/choices/0/message/tool_calls").size() == 2);
        }
        assertThat(session.traces("main")).as(session.toString()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"VLLM_BUFFERED", "VLLM_NATIVE"})
    void an_answer_that_the_engine_cut_is_asked_for_again_and_nothing_is_lost_or_trained_twice(Kind kind)
            throws Exception {
        var session = session(kind, "retried").succeeded();

        assertThat(session.agentResult().at("/calls/failed").asInt())
                .as(session.toString())
                .isPositive();
        assertThat(session.stats().at("/breaks/fork").asInt())
                .as(session.toString())
                .isEqualTo(kind == Kind.VLLM_NATIVE ? forksAfterPart() : 0);
    }

    /** How often the main line of an agent forks that had seen a part of an answer when it broke off, and asked again: never, unless the agent keeps that part in its history. */
    int forksAfterPart() {
        return 0;
    }

    @ParameterizedTest
    @EnumSource
    void an_engine_that_goes_on_failing_is_told_as_what_it_is(EngineTrouble trouble) throws Exception {
        var session = session(trouble.lab, trouble.name());

        assertThat(session.result().path("status").asText())
                .as(session.toString())
                .isEqualTo("ERROR");
        assertThat(session.ending()).as(session.toString()).isEqualTo(trouble.ending);
        assertThat(session.agentResult().at("/calls/failed").asInt())
                .as(session.toString())
                .isPositive();
        assertThat(session.trained()).isZero();
    }

    /** Enough for what an agent does first, and too little for what it says last. */
    private static final int LIMIT = 120;

    private AgentScript cutByLimit() {
        return AgentScript.of(first(), written(), AgentScript.says("And so on, and on. ".repeat(LIMIT)));
    }

    @Test
    void an_agent_that_stops_after_an_answer_cut_by_its_limit_gave_up() throws Exception {
        var session = session(Kind.VLLM_BUFFERED, "length");

        assertThat(session.result().path("status").asText())
                .as(session.toString())
                .isEqualTo("ERROR");
        assertThat(session.ending()).as(session.toString()).isEqualTo("gave_up");
        assertThat(session.agentResult().at("/calls/last_finish_reason").asText())
                .isEqualTo("length");
    }

    /** Time for the agent to start, on a machine that does many things at once, and to make the call that is never answered. */
    private static final double HELD_SECONDS = 120;

    @Test
    void an_agent_that_waits_in_vain_until_its_time_is_up_has_timed_out() throws Exception {
        var session = session(Kind.SGLANG_BUFFERED, "held");

        assertThat(session.records()).as("the first answer").hasSize(1);
        assertThat(session.stats().path("failed_calls").asInt())
                .as("the call that was held: %s", session)
                .isPositive();
        assertThat(session.result().path("status").asText())
                .as(session.toString())
                .isEqualTo("TIMEOUT");
        assertThat(session.ending()).isEqualTo("timed_out");
    }

    private static AgentScript.Counted saysLate(Fault pause) {
        return new AgentScript.Counted(request -> new Policy.Decision(Answer.text(SUM), pause));
    }

    @ParameterizedTest
    @CsvSource({"VLLM_BUFFERED", "VLLM_NATIVE"})
    void an_agent_is_kept_waiting_through_a_long_silence_and_does_not_ask_twice(Kind kind) throws Exception {
        var session = session(kind, "late").succeeded();

        assertThat(late.get(kind).asked())
                .as("once in each attempt at the session: %s", session)
                .isBetween(1, session.result().at("/metadata/attempt").asInt());
        assertThat(session.records()).as(session.toString()).hasSize(3);
        assertThat(session.agentResult().at("/calls/failed").asInt())
                .as(session.toString())
                .isZero();
        assertThat(session.records().getLast().at("/metadata/timings/engine_ms").asDouble())
                .isGreaterThan(EngineTrouble.SILENCE_SECONDS * 1_000.0);
    }

    /** It begins as a command of an agent's own would, has in it what shells look at, and is longer than a word of a command line may be. */
    private static final String ODD = "/testbed holds \"it's\" $HOME `x` -p\n two  \n" + "word ".repeat(28_000) + "end";

    @Test
    void the_model_sees_the_instruction_as_it_is() throws Exception {
        var session = session(Kind.VLLM_BUFFERED, "instruction");

        assertThat(session.ending()).as(session.toString()).isEqualTo("done");
        assertThat(session.records("main").getFirst().at("/request/messages"))
                .as("what users say")
                .anyMatch(message -> message.path("role").asText().equals("user")
                        && text(message).contains(ODD));
    }

    private static String text(JsonNode message) {
        var content = message.path("content");
        return content.isTextual() ? content.textValue() : String.join("\n", content.findValuesAsText("text"));
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
    void a_skill_is_told_to_the_model_and_built_by_requests_each_answer_is_a_trace() throws Exception {
        var session = session(Kind.VLLM_BUFFERED, "skill").succeeded();

        var seen = new ArrayList<String>();
        session.records().forEach(record -> seen.add(record.path("request").toString()));
        assertThat(seen).anyMatch(request -> request.contains("Adds up the frobnicated numbers of a folder"));
        assertThat(session.traces("main"))
                .as(session.toString())
                .hasSameSizeAs(session.records("main"))
                .hasSizeGreaterThanOrEqualTo(4);
    }
}
