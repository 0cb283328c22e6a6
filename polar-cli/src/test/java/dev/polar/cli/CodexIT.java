package dev.polar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.cli.AgentLab.Kind;
import dev.polar.cli.AgentScript.Turn;
import dev.polar.sim.Answer;
import dev.polar.sim.Policy;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The real Codex. */
class CodexIT extends AgentContract {
    private static final Pattern AGENT_ID = Pattern.compile("agent_id\\W+([0-9a-f]{8}-[0-9a-f-]{27})");
    private static final String LOOK_AROUND = "Look around and say what you see";

    private static final AgentUnderTest CODEX = new AgentUnderTest(
            "codex",
            Map.of("request_max_retries", 1, "stream_max_retries", 1),
            Map.of(),
            new AgentUnderTest.Hands() {
                @Override
                public Answer.Call run(String command) {
                    return AgentScript.call("exec_command", Map.of("cmd", command));
                }

                @Override
                public Answer.Call write(String path, String content) {
                    return run("apply_patch <<'EOF'\n" + patch(path, content) + "\nEOF");
                }
            },
            true,
            "mcp__counter__count");

    private Wiretap webSocket;
    private Wiretap packed;

    @Override
    AgentUnderTest agent() {
        return CODEX;
    }

    private static String patch(String path, String content) {
        var lines = new StringBuilder();
        content.lines().forEach(line -> lines.append('+').append(line).append('\n'));
        return "*** Begin Patch\n*** Add File: " + path + "\n" + lines + "*** End Patch";
    }

    @Override
    void submitMore() throws Exception {
        var gateway = AgentLab.of(Kind.VLLM_BUFFERED).gateway();
        webSocket = new Wiretap(gateway);
        packed = new Wiretap(gateway);
        var provider = Map.of("base_url", webSocket.url() + "/v1", "supports_websockets", true);
        submit(
                Kind.VLLM_BUFFERED,
                task("web-socket", sum())
                        .withSettings(Map.of("config", Map.of("model_providers", Map.of("polar", provider)))));
        submit(
                Kind.VLLM_BUFFERED,
                task("catalogue", catalogue()),
                task -> task.withObject("/agent").put("model_name", "gpt-6.2-sol"));
        submit(Kind.VLLM_BUFFERED, task("compacted", compacted()).withSettings(Map.of("auto_compact_tokens", 16_000)));
        submit(Kind.VLLM_NATIVE, task("delegated", delegated()));
    }

    @AfterAll
    void endTaps() throws Exception {
        webSocket.close();
        packed.close();
    }

    @Test
    void c09_a_web_socket_is_answered_426_and_it_goes_on_over_http() throws Exception {
        session(Kind.VLLM_BUFFERED, "web-socket").succeeded();

        assertThat(webSocket.sent()).contains("upgrade: websocket").contains("post /v1/responses");
        assertThat(webSocket.answered()).contains("http/1.1 426");
    }

    /** For a model of its own catalogue it offers no {@code tools}, but an item of the input that holds them: one that runs JavaScript, which calls the others. */
    private static Policy catalogue() {
        return AgentScript.of(
                script(at -> "const told = await tools.exec_command({cmd: 'pwd; cat notes.txt one.txt two.txt'});"
                        + " text(told.output);"),
                script(at -> "text(JSON.stringify(await tools.apply_patch(`" + patch(at + "/sum.txt", "42") + "`)));"),
                AgentScript.says("The sum is 42, and it stands in sum.txt."));
    }

    private static Turn script(java.util.function.UnaryOperator<String> script) {
        return AgentScript.calls(at -> List.of(AgentScript.call("functions__exec", Map.of("input", script.apply(at)))));
    }

    @Test
    void a_model_name_of_its_own_catalogue_works_with_the_tools_that_it_then_sends_in_another_place() throws Exception {
        var session = session(Kind.VLLM_BUFFERED, "catalogue").succeeded();

        assertThat(session.records())
                .hasSize(3)
                .allSatisfy(record -> assertThat(
                                record.at("/metadata/model_requested").asText())
                        .isEqualTo("gpt-6.2-sol"));
        assertThat(session.records()
                        .getFirst()
                        .at("/original_request/input/0/type")
                        .asText())
                .isEqualTo("additional_tools");
        assertThat(session.traces("main")).hasSize(1);
    }

    /** A long output takes the history over the limit; what the agent has then is the summary. */
    private Policy compacted() {
        var before = AgentScript.of(
                first(), AgentScript.calls(at -> List.of(agent().hands().run("seq 1 3000"))));
        var after = AgentScript.of(written(), AgentScript.says("The sum is 42, and it stands in sum.txt."));
        return AgentScript.forWhich(AgentScript.mentions("Another language model started to solve"), after, before);
    }

    @Test
    void a_compaction_is_labelled_and_nothing_of_what_is_before_and_after_it_is_lost() throws Exception {
        var session = session(Kind.VLLM_BUFFERED, "compacted").succeeded();

        assertThat(session.records())
                .extracting(CodexIT::segment)
                .containsOnlyOnce("compaction")
                .containsSequence("", "compaction", "resumed", "resumed");
        assertThat(session.records("main")).hasSameSizeAs(session.records());
        assertThat(session.traces("main"))
                .as("the turns before, the summary, the turns after")
                .hasSize(3);
    }

    private static String segment(JsonNode record) {
        return record.at("/metadata/segment_kind").asText("");
    }

    /** Two sub-agents at once, each of which looks around. */
    private Policy delegated() {
        var spawn = AgentScript.call("multi_agent_v1__spawn_agent", Map.of("message", LOOK_AROUND));
        Turn waits = request -> {
            var ids = AGENT_ID.matcher(request.path("messages").toString())
                    .results()
                    .map(found -> found.group(1))
                    .distinct()
                    .toList();
            var wait = AgentScript.call("multi_agent_v1__wait_agent", Map.of("targets", ids, "timeout_ms", 60_000));
            return new Policy.Decision(new Answer.Message("", "I wait.", List.of(wait)));
        };
        var main = AgentScript.of(
                first(),
                AgentScript.calls(at -> List.of(spawn, spawn)),
                waits,
                written(),
                AgentScript.says("The sum is 42, and it stands in sum.txt."));
        var theirs = AgentScript.of(
                AgentScript.calls(at -> List.of(agent().hands().run("ls"))), AgentScript.says("I see three files."));
        return AgentScript.forWhich(
                request -> !AgentScript.mentions("Read notes.txt and do what it says")
                        .test(request),
                theirs,
                main);
    }

    @Test
    void sub_agents_are_told_apart_and_the_main_line_stays_one_trace() throws Exception {
        session(Kind.VLLM_NATIVE, "delegated").succeeded().delegated(2, 4);
    }

    /** It packs its requests where it believes that it speaks to its maker with an account of theirs; the account's token is the session's key here. */
    private String withAccount() {
        var installed = AgentLab.agents().resolve("codex") + "/*/node_modules/.bin/codex";
        var account = "{\"email\":\"a@example.com\",\"exp\":4000000000,"
                + "\"https://api.openai.com/auth\":{\"chatgpt_plan_type\":\"plus\",\"chatgpt_account_id\":\"acc\"}}";
        var token = base64("{\"alg\":\"none\"}") + "." + base64(account) + ".none";
        return """
                export CODEX_HOME="$HOME/codex" && mkdir -p "$CODEX_HOME" && cat > "$CODEX_HOME/config.toml" <<'EOF'
                model_provider = "polar"
                features = {plugins = false, apps = false}
                analytics = {enabled = false}
                [model_providers.polar]
                name = "OpenAI"
                base_url = "%s/v1"
                wire_api = "responses"
                requires_openai_auth = true
                EOF
                printf '{"auth_mode":"chatgpt","OPENAI_API_KEY":null,"last_refresh":"%s","tokens":{"id_token":"%s","access_token":"%%s","refresh_token":"r","account_id":"acc"}}' "$OPENAI_API_KEY" > "$CODEX_HOME/auth.json"
                exec "$(command -v codex || ls -d %s | tail -n 1)" exec --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox -m sim 'Say hello.' < /dev/null
                """.formatted(packed.url(), Instant.now(), token, installed);
    }

    private static String base64(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void b15_a_body_in_zstd_is_read() throws Exception {
        session(Kind.VLLM_BUFFERED, "task"); // which installs the program
        submit(Kind.VLLM_BUFFERED, task("packed", AgentScript.of(AgentScript.says("Hello."))), task -> {
            task.withObject("/agent")
                    .put("harness", "shell")
                    .putPOJO("settings", Map.of())
                    .putPOJO("custom_shell", Map.of("command", withAccount()));
        });

        var session = session(Kind.VLLM_BUFFERED, "packed");

        assertThat(session.ending()).as(session.toString()).isEqualTo("done");
        assertThat(session.records()).hasSize(1);
        assertThat(packed.sent()).contains("content-encoding: zstd");
    }
}
