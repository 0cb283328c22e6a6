package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.inference.EngineException;
import dev.polar.inference.JsonTree;
import dev.polar.sim.Answer;
import dev.polar.sim.Fault;
import dev.polar.sim.Policy;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimOptions;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** OpenAI Responses through the proxy to both engines. */
class ResponsesTest {
    private static final String PATH = "/v1/responses";
    private static final String WEATHER =
            "{'type':'function','name':'get_weather','parameters':{'type':'object','properties':{'city':{'type':'string'}}}}";
    private static final String PATCH =
            "{'type':'custom','name':'apply_patch','description':'Edits files.','format':{'type':'grammar','syntax':'lark','definition':'start: begin hunk+'}}";

    private static String called(String name, String arguments) {
        return "<tool_call>\n{\"name\": \"" + name + "\", \"arguments\": " + arguments + "}\n</tool_call>";
    }

    private static Node node(SimEngine engine, String raw) throws IOException {
        return node(engine, request -> new Answer.Raw(raw));
    }

    private static Node node(SimEngine engine, Function<JsonNode, Answer> model) throws IOException {
        return node(engine, (request, random) -> new Policy.Decision(model.apply(request)), Node.Setup.DEFAULT);
    }

    private static Node node(SimEngine engine, Policy policy, Node.Setup setup) throws IOException {
        return new Node(
                SimOptions.builder()
                        .engine(engine)
                        .policy(policy)
                        .reasoning(true)
                        .build(),
                setup);
    }

    /** A request for one user message, more keys in single quotes. */
    private static String ask(String more) {
        return ("{'model':'made-up','input':'hi'" + more + "}").replace('\'', '"');
    }

    private static String ask(ArrayNode input, String more) {
        var body = Bodies.object("{'model':'made-up'" + more + "}");
        body.set("input", input);
        return Bodies.text(body);
    }

    private static List<String> types(List<JsonNode> events) {
        return events.stream().map(event -> event.path("type").textValue()).toList();
    }

    private static List<String> types(JsonNode items) {
        return StreamSupport.stream(items.spliterator(), false)
                .map(item -> item.path("type").textValue())
                .toList();
    }

    /** The items of an answer, whole or streamed. */
    private static ArrayNode output(Node node, String body, boolean streamed) throws IOException {
        if (!streamed) {
            return (ArrayNode) node.answer(PATH, body).path("output");
        }
        var asked = (ObjectNode) JsonTree.read(body);
        var last = node.events(PATH, Bodies.text(asked.put("stream", true))).getLast();
        return (ArrayNode) last.path("response").path("output");
    }

    @ParameterizedTest
    @EnumSource(SimEngine.class)
    void a_whole_answer_has_reasoning_text_and_calls_and_is_on_record(SimEngine engine) throws IOException {
        try (var node =
                node(engine, "<think>hm</think>Let me look.\n" + called("get_weather", "{\"city\": \"Ulm\"}"))) {
            var answer = node.answer(PATH, ask(",'tools':[" + WEATHER + "]"));
            assertThat(answer.path("object").textValue()).isEqualTo("response");
            assertThat(answer.path("status").textValue()).isEqualTo("completed");
            assertThat(answer.path("model").textValue()).isEqualTo("made-up");
            assertThat(types(answer.path("output"))).containsExactly("reasoning", "message", "function_call");
            assertThat(answer.at("/output/0/content/0/text").textValue()).isEqualTo("hm");
            assertThat(answer.at("/output/1/content/0/text").textValue()).startsWith("Let me look.");
            assertThat(answer.at("/output/2/name").textValue()).isEqualTo("get_weather");
            var entry = node.recorder.entries.getFirst();
            assertThat(answer.at("/usage/output_tokens").intValue()).isEqualTo(entry.sampledIds().length);
            assertThat(answer.at("/usage/input_tokens_details/cached_tokens").isInt())
                    .isTrue();
            assertThat(answer.at("/usage/output_tokens_details/reasoning_tokens")
                            .isInt())
                    .isTrue();
            assertThat(entry.originalRequest().path("input").textValue()).isEqualTo("hi");
            assertThat(node.recorder.delivered).containsExactly(entry.id());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void c01_a_custom_tool_is_a_function_with_one_string_for_the_model_and_free_text_for_the_agent(boolean streamed)
            throws IOException {
        var patch = "*** Begin Patch\n+a \"b\"\n*** End Patch";
        var arguments = "{\"input\": \"*** Begin Patch\\n+a \\\"b\\\"\\n*** End Patch\"}";
        try (var node = node(
                SimEngine.VLLM,
                request -> request.path("messages").size() == 1
                        ? new Answer.Raw(called("apply_patch", arguments))
                        : Answer.text("done"))) {
            var output = output(node, ask(",'tools':[" + PATCH + "]"), streamed);
            assertThat(types(output)).containsExactly("custom_tool_call");
            assertThat(output.at("/0/name").textValue()).isEqualTo("apply_patch");
            assertThat(output.at("/0/input").textValue()).isEqualTo(patch);
            var function = node.upstream().at("/tools/0/function");
            assertThat(function.at("/parameters/properties/input/type").textValue())
                    .isEqualTo("string");
            assertThat(function.path("description").textValue()).contains("Edits files.", "lark", "start: begin hunk+");

            var input = (ArrayNode) Bodies.tree("[{'role':'user','content':'hi'}]");
            input.addAll(output);
            input.addObject()
                    .put("type", "custom_tool_call_output")
                    .put("call_id", output.at("/0/call_id").textValue())
                    .put("output", "patched");
            output(node, ask(input, ",'tools':[" + PATCH + "]"), streamed);
            var messages = node.upstream().path("messages");
            assertThat(messages.at("/1/tool_calls/0/function/arguments").textValue())
                    .isEqualTo(node.recorder
                            .entries
                            .getFirst()
                            .answer()
                            .at("/message/tool_calls/0/function/arguments")
                            .textValue());
            assertThat(messages.at("/2/role").textValue()).isEqualTo("tool");
            assertThat(messages.at("/2/content").textValue()).isEqualTo("patched");
        }
    }

    @Test
    void c01_the_stream_of_a_custom_call_tells_its_input_in_its_own_events() throws IOException {
        try (var node = node(SimEngine.VLLM, called("apply_patch", "{\"input\": \"x\\ny\"}"))) {
            var events = node.events(PATH, ask(",'stream':true,'tools':[" + PATCH + "]"));
            assertThat(types(events))
                    .containsExactly(
                            "response.created",
                            "response.in_progress",
                            "response.output_item.added",
                            "response.custom_tool_call_input.delta",
                            "response.custom_tool_call_input.done",
                            "response.output_item.done",
                            "response.completed");
            assertThat(events.get(2).at("/item/input").textValue()).isEmpty();
            assertThat(events.get(3).path("delta").textValue()).isEqualTo("x\ny");
            assertThat(events.get(4).path("input").textValue()).isEqualTo("x\ny");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void c02_tools_of_a_namespace_are_flat_for_the_model_and_the_call_names_its_namespace(boolean streamed)
            throws IOException {
        var tools = ",'tools':[{'type':'namespace','name':'mcp','tools':[" + WEATHER + "]}]";
        try (var node = node(SimEngine.VLLM, called("mcp__get_weather", "{}"))) {
            var output = output(node, ask(tools), streamed);
            assertThat(node.upstream().at("/tools/0/function/name").textValue()).isEqualTo("mcp__get_weather");
            assertThat(output.at("/0/name").textValue()).isEqualTo("get_weather");
            assertThat(output.at("/0/namespace").textValue()).isEqualTo("mcp");
            output(node, ask(output, tools), streamed);
            assertThat(node.upstream()
                            .at("/messages/0/tool_calls/0/function/name")
                            .textValue())
                    .isEqualTo("mcp__get_weather");
        }
    }

    @ParameterizedTest
    @EnumSource(SimEngine.class)
    void c04_an_answer_cut_by_length_is_incomplete(SimEngine engine) throws IOException {
        try (var node = node(engine, "one two three four five six")) {
            var answer = node.answer(PATH, ask(",'max_output_tokens':2"));
            assertThat(answer.path("status").textValue()).isEqualTo("incomplete");
            assertThat(answer.at("/incomplete_details/reason").textValue()).isEqualTo("max_output_tokens");
            assertThat(answer.at("/output/0/status").textValue()).isEqualTo("incomplete");
            var events = node.events(PATH, ask(",'max_output_tokens':2,'stream':true"));
            assertThat(events.getLast().path("type").textValue()).isEqualTo("response.incomplete");
            assertThat(events.getLast()
                            .at("/response/incomplete_details/reason")
                            .textValue())
                    .isEqualTo("max_output_tokens");
        }
    }

    @ParameterizedTest
    @EnumSource(SimEngine.class)
    void c05_a_stream_has_all_its_events_in_order_with_rising_numbers_and_lasting_ids(SimEngine engine)
            throws IOException {
        try (var node = node(engine, "<think>hm</think>Look.\n" + called("get_weather", "{\"city\": \"Ulm\"}"))) {
            var events = node.events(PATH, ask(",'stream':true,'tools':[" + WEATHER + "]"));
            assertThat(types(events))
                    .containsExactly(
                            "response.created",
                            "response.in_progress",
                            "response.output_item.added",
                            "response.content_part.added",
                            "response.reasoning_text.delta",
                            "response.reasoning_text.done",
                            "response.content_part.done",
                            "response.output_item.done",
                            "response.output_item.added",
                            "response.content_part.added",
                            "response.output_text.delta",
                            "response.output_text.done",
                            "response.content_part.done",
                            "response.output_item.done",
                            "response.output_item.added",
                            "response.function_call_arguments.delta",
                            "response.function_call_arguments.done",
                            "response.output_item.done",
                            "response.completed");
            for (int i = 0; i < events.size(); i++) {
                assertThat(events.get(i).path("sequence_number").intValue()).isEqualTo(i);
            }
            var output = events.getLast().at("/response/output");
            var ids = new HashMap<Integer, String>();
            for (int i = 0; i < output.size(); i++) {
                ids.put(i, output.get(i).path("id").textValue());
            }
            assertThat(new HashSet<>(ids.values())).hasSize(3);
            for (var event : events) {
                if (event.has("output_index")) {
                    var id = event.has("item") ? event.at("/item/id") : event.path("item_id");
                    assertThat(id.textValue())
                            .isEqualTo(ids.get(event.path("output_index").intValue()));
                }
                if (event.path("type").textValue().equals("response.output_item.done")) {
                    assertThat(event.path("item"))
                            .isEqualTo(output.get(event.path("output_index").intValue()));
                }
                if (event.has("response")) {
                    assertThat(event.at("/response/id"))
                            .isEqualTo(events.getLast().at("/response/id"));
                }
            }
        }
    }

    @Test
    void c05_a_waiting_stream_starts_early_and_goes_on_in_progress() throws IOException {
        var slow = Node.Setup.DEFAULT.times(
                new StreamTimes(Duration.ofMillis(20), Duration.ofMillis(40), Duration.ofMillis(20)));
        Policy policy = (request, random) -> new Policy.Decision(Answer.text("late but here"));
        try (var node = new Node(
                SimOptions.builder()
                        .policy(policy)
                        .perToken(Duration.ofMillis(60))
                        .build(),
                slow)) {
            var events = node.events(PATH, ask(",'stream':true"));
            assertThat(types(events)).startsWith("response.created", "response.in_progress", "response.in_progress");
            assertThat(types(events)).containsOnlyOnce("response.created").endsWith("response.completed");
            for (int i = 0; i < events.size(); i++) {
                assertThat(events.get(i).path("sequence_number").intValue()).isEqualTo(i);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(SimEngine.class)
    void c06_an_engine_that_dies_after_the_stream_has_begun_is_a_failed_response(SimEngine engine) throws IOException {
        var early = Node.Setup.DEFAULT.times(
                new StreamTimes(Duration.ofMillis(1), Duration.ofSeconds(10), Duration.ofMillis(20)));
        // The engine dies half a second later than the stream begins: even a busy machine has sent the headers by then.
        Policy policy = (request, random) -> {
            LockSupport.parkNanos(Duration.ofMillis(500).toNanos());
            return new Policy.Decision(Answer.text("never"), Fault.status(500).saying("the engine died"));
        };
        try (var node =
                new Node(SimOptions.builder().engine(engine).policy(policy).build(), early)) {
            var events = node.events(PATH, ask(",'stream':true"));
            var last = events.getLast();
            assertThat(last.path("type").textValue()).isEqualTo("response.failed");
            assertThat(last.at("/response/status").textValue()).isEqualTo("failed");
            assertThat(last.at("/response/error/code").textValue()).isEqualTo("server_error");
            assertThat(last.at("/response/error/message").textValue()).contains("the engine died");
            assertThat(last.path("sequence_number").intValue()).isEqualTo(events.size() - 1);
        }
    }

    @ParameterizedTest
    @EnumSource(SimEngine.class)
    void a_full_context_has_the_code_that_agents_know_before_and_within_a_stream(SimEngine engine) throws IOException {
        var options = SimOptions.builder().engine(engine).contextLength(16).build();
        try (var node = new Node(options)) {
            var response = node.post(PATH, ask(",'stream':true,'instructions':'" + "word ".repeat(40) + "'"));
            assertThat(response.statusCode()).isEqualTo(400);
            assertThat(JsonTree.read(response.body()).at("/error/code").textValue())
                    .isEqualTo("context_length_exceeded");
        }
        var overflow = new EngineException(EngineException.Kind.OVERFLOW, 400, "too long", null, null, null);
        var failed = ResponsesEncoder.failed(Bodies.responses("'input':'hi'"), dev.polar.proxy.Fault.of(overflow));
        assertThat(failed.at("/error/code").textValue()).isEqualTo("context_length_exceeded");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void c07_reasoning_that_this_server_sealed_goes_back_to_the_model_and_foreign_reasoning_nowhere(boolean streamed)
            throws IOException {
        var thought = "a \\\"thought\\\" 🙂\nof two lines";
        try (var node = node(
                SimEngine.VLLM,
                request -> new Answer.Message(
                        thought, "", List.of(new Answer.Call("get_weather", Bodies.tree("{'city':'Ulm'}")))))) {
            var more = ",'store':false,'include':['reasoning.encrypted_content'],'tools':[" + WEATHER + "]";
            var output = output(node, ask(more), streamed);
            var reasoning = (ObjectNode) output.get(0);
            assertThat(reasoning.path("encrypted_content").textValue()).doesNotContain("thought");
            reasoning.remove("content");
            var input = output.deepCopy();
            input.insertObject(0)
                    .put("type", "reasoning")
                    .put("id", "rs_elsewhere")
                    .put("encrypted_content", "gAAAAABforeign")
                    .putArray("summary")
                    .addObject()
                    .put("type", "summary_text")
                    .put("text", "elsewhere");
            output(node, ask(input, more), streamed);
            var upstream = node.upstream();
            assertThat(upstream.at("/messages/0/reasoning").textValue()).isEqualTo(thought);
            assertThat(Bodies.text(upstream)).doesNotContain("gAAAAABforeign", "elsewhere");
            assertThat(node.session.dropped()).containsEntry("foreign_reasoning", 1L);
        }
    }

    @Test
    void c08_an_item_without_a_type_is_a_400_that_names_it() throws IOException {
        try (var node = node(SimEngine.VLLM, "fine")) {
            var response = node.post(
                    PATH,
                    "{'model':'m','input':[{'role':'user','content':'hi'},{'call_id':'c1','output':'x'}]}"
                            .replace('\'', '"'));
            assertThat(response.statusCode()).isEqualTo(400);
            var error = JsonTree.read(response.body()).path("error");
            assertThat(error.path("type").textValue()).isEqualTo("invalid_request_error");
            assertThat(error.path("message").textValue()).contains("input[1].type");
        }
    }

    @Test
    void c09_a_websocket_upgrade_is_refused_with_426() throws IOException {
        try (var node = node(SimEngine.VLLM, "fine");
                var http = HttpClient.newHttpClient()) {
            var url = URI.create(node.front.url().replace("http://", "ws://") + "/s/" + Node.KEY + PATH);
            var attempt = http.newWebSocketBuilder().buildAsync(url, new WebSocket.Listener() {});
            assertThatThrownBy(attempt::join)
                    .hasCauseInstanceOf(WebSocketHandshakeException.class)
                    .cause()
                    .satisfies(refused -> assertThat(((WebSocketHandshakeException) refused)
                                    .getResponse()
                                    .statusCode())
                            .isEqualTo(426));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void c10_a_local_shell_call_round_trips(boolean streamed) throws IOException {
        var arguments = "{\"command\": [\"ls\",   \"-l\"], \"timeout_ms\": 1000}";
        try (var node = node(
                SimEngine.SGLANG,
                request -> request.path("messages").size() == 1
                        ? new Answer.Raw(called("local_shell", arguments))
                        : Answer.text("done"))) {
            var more = ",'tools':[{'type':'local_shell'},{'type':'web_search'}]";
            var output = output(node, ask(more), streamed);
            assertThat(types(output)).containsExactly("local_shell_call");
            assertThat(output.at("/0/action/type").textValue()).isEqualTo("exec");
            assertThat(output.at("/0/action/command/1").textValue()).isEqualTo("-l");
            assertThat(output.at("/0/action/timeout_ms").intValue()).isEqualTo(1000);
            var own = node.recorder
                    .entries
                    .getFirst()
                    .answer()
                    .at("/message/tool_calls/0/function/arguments")
                    .textValue();

            var input = (ArrayNode) Bodies.tree("[{'role':'user','content':'hi'}]");
            input.addAll(output);
            input.addObject()
                    .put("type", "local_shell_call_output")
                    .put("id", output.at("/0/id").textValue())
                    .put("output", "total 0");
            output(node, ask(input, more), streamed);
            var messages = node.upstream().path("messages");
            assertThat(messages.at("/1/tool_calls/0/function/arguments").textValue())
                    .isEqualTo(own);
            assertThat(messages.at("/2/tool_call_id")).isEqualTo(messages.at("/1/tool_calls/0/id"));
            assertThat(node.session.dropped()).containsEntry("hosted_tool", 2L);
        }
    }

    @ParameterizedTest
    @EnumSource(SimEngine.class)
    void c11_a_request_goes_on_from_an_answer_of_this_server(SimEngine engine) throws IOException {
        try (var node = node(engine, "Blue.")) {
            var first = node.answer(PATH, ask(",'instructions':'Be brief.'"));
            node.answer(
                    PATH,
                    ask(",'instructions':'Be brief.','previous_response_id':'"
                            + first.path("id").textValue() + "'"));
            assertThat(Bodies.text(node.upstream().path("messages")))
                    .isEqualTo(Bodies.text(
                            Bodies.tree("[{'role':'system','content':'Be brief.'},{'role':'user','content':'hi'},"
                                    + "{'role':'assistant','content':'Blue.'},{'role':'user','content':'hi'}]")));
        }
    }

    @Test
    void c11_an_unknown_answer_to_go_on_from_is_a_400_of_its_own_code() throws IOException {
        try (var node = node(SimEngine.VLLM, "Blue.")) {
            var unstored = node.answer(PATH, ask(",'store':false")).path("id").textValue();
            for (var id : List.of("resp_elsewhere", unstored)) {
                var response = node.post(PATH, ask(",'previous_response_id':'" + id + "'"));
                assertThat(response.statusCode()).isEqualTo(400);
                var error = JsonTree.read(response.body()).path("error");
                assertThat(error.path("code").textValue()).isEqualTo("previous_response_not_found");
                assertThat(error.path("param").textValue()).isEqualTo("previous_response_id");
                assertThat(error.path("message").textValue()).contains(id);
            }
        }
    }

    @Test
    void c12_what_means_something_to_the_cloud_alone_is_accepted_and_not_sent_on() throws IOException {
        try (var node = node(SimEngine.VLLM, "fine")) {
            var answer = node.answer(
                    PATH,
                    ask(",'include':['reasoning.encrypted_content'],'store':false,'prompt_cache_key':'k',"
                            + "'client_metadata':{'a':'b'},'service_tier':'auto','text':{'verbosity':'low'},"
                            + "'reasoning':{'summary':'auto'},'metadata':{'x':'y'},'truncation':'auto'"));
            assertThat(answer.at("/text/verbosity").textValue()).isEqualTo("low");
            assertThat(answer.path("store").booleanValue()).isFalse();
            assertThat(answer.at("/metadata/x").textValue()).isEqualTo("y");
            assertThat(Bodies.text(node.upstream()))
                    .doesNotContain(
                            "include\":[",
                            "\"store\"",
                            "prompt_cache_key",
                            "client_metadata",
                            "service_tier",
                            "verbosity",
                            "summary",
                            "truncation");
        }
    }

    @Test
    void log_probabilities_that_were_asked_for_stand_with_the_text() throws IOException {
        try (var node = node(SimEngine.VLLM, "fine words")) {
            var answer = node.answer(PATH, ask(",'include':['message.output_text.logprobs'],'top_logprobs':2"));
            var logprobs = answer.at("/output/0/content/0/logprobs");
            assertThat(logprobs).isNotEmpty();
            assertThat(logprobs.at("/0/top_logprobs")).hasSize(2);
            assertThat(node.answer(PATH, ask("")).at("/output/0/content/0/logprobs"))
                    .isEmpty();
        }
    }
}
