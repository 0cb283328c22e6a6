package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.sim.Answer;
import dev.polar.sim.Policy;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimOptions;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Google's generateContent through the proxy to both engines. */
class GoogleTest {
    private static final String MODEL = "/v1beta/models/gemini-x";
    private static final String WHOLE = MODEL + ":generateContent";
    private static final String EVENTS = MODEL + ":streamGenerateContent?alt=sse";
    private static final String ARRAY = MODEL + ":streamGenerateContent";
    private static final String COUNT = MODEL + ":countTokens";

    private static final String TOOLS =
            ",\"tools\":[{\"functionDeclarations\":[{\"name\":\"get_weather\",\"parametersJsonSchema\":{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}}}}]}]";
    private static final String ARGUMENTS = "{\"z\": 1, \"a\": 2, \"n\": 1.0}";
    private static final String CALL =
            "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": " + ARGUMENTS + "}\n</tool_call>";

    private static final StreamTimes AT_ONCE =
            new StreamTimes(Duration.ofMillis(20), Duration.ofMillis(60), Duration.ofMillis(20));

    /** The ways to ask. */
    enum Way {
        IN_WHOLE,
        IN_EVENTS,
        IN_ARRAY;

        /** The answer's responses: one, or the chunks of a stream. */
        List<JsonNode> ask(Node node, String body) throws IOException {
            return switch (this) {
                case IN_WHOLE -> List.of(node.answer(WHOLE, body));
                case IN_EVENTS -> node.events(EVENTS, body);
                case IN_ARRAY -> {
                    var chunks = new ArrayList<JsonNode>();
                    node.answer(ARRAY, body).forEach(chunks::add);
                    yield chunks;
                }
            };
        }
    }

    private static Node node(SimEngine engine, String raw) throws IOException {
        return node(engine, request -> raw);
    }

    private static Node node(SimEngine engine, Function<JsonNode, String> model) throws IOException {
        Policy policy = (request, random) -> new Policy.Decision(new Answer.Raw(model.apply(request)));
        return new Node(SimOptions.builder()
                .engine(engine)
                .policy(policy)
                .reasoning(true)
                .build());
    }

    private static String ask(String more) {
        return "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"hi\"}]}]" + more + "}";
    }

    private static List<JsonNode> parts(List<JsonNode> chunks) {
        var parts = new ArrayList<JsonNode>();
        chunks.forEach(chunk -> chunk.at("/candidates/0/content/parts").forEach(parts::add));
        return parts;
    }

    @ParameterizedTest
    @EnumSource(SimEngine.class)
    void d04_each_way_of_asking_gives_thought_text_and_call_in_order(SimEngine engine) throws IOException {
        try (var node = node(engine, "<think>hm</think>Let me look.\n" + CALL)) {
            for (var way : Way.values()) {
                var chunks = way.ask(node, ask(TOOLS));
                var parts = parts(chunks);
                assertThat(parts).hasSize(3);
                assertThat(parts.get(0).path("text").textValue()).isEqualTo("hm");
                assertThat(parts.get(0).path("thought").booleanValue()).isTrue();
                assertThat(parts.get(1).path("text").textValue()).startsWith("Let me look.");
                assertThat(parts.get(2).at("/functionCall/name").textValue()).isEqualTo("get_weather");
                assertThat(parts.get(2).at("/functionCall/args/z").intValue()).isEqualTo(1);
                assertThat(parts.get(2).path("thoughtSignature").textValue()).isNotEmpty();
                for (var chunk : chunks) {
                    assertThat(chunk.at("/candidates/0/content/role").textValue())
                            .isEqualTo("model");
                    assertThat(chunk.path("modelVersion").textValue()).isEqualTo("gemini-x");
                    assertThat(chunk.path("responseId"))
                            .isEqualTo(chunks.getFirst().path("responseId"));
                    assertThat(chunk.at("/candidates/0").has("finishReason")).isEqualTo(chunk == chunks.getLast());
                }
                assertThat(chunks.getLast().at("/candidates/0/finishReason").textValue())
                        .isEqualTo("STOP");
            }
            assertThat(node.recorder.entries).hasSize(3);
            assertThat(node.recorder.delivered).hasSize(3);
            assertThat(node.recorder
                            .entries
                            .getFirst()
                            .metadata()
                            .path("api_type")
                            .textValue())
                    .isEqualTo("google");
        }
    }

    @Test
    void d04_the_form_of_the_stream_stands_in_the_url_alone() throws IOException {
        try (var node = node(SimEngine.VLLM, "Yes.")) {
            var events = node.post(EVENTS, ask(""));
            assertThat(events.headers().firstValue("content-type").orElseThrow())
                    .startsWith("text/event-stream");
            assertThat(events.body()).startsWith("data: {").endsWith("}\n\n");
            var array = node.post(ARRAY, ask(""));
            assertThat(array.headers().firstValue("content-type").orElseThrow()).startsWith("application/json");
            assertThat(Bodies.parsed(array.body())).isInstanceOf(ArrayNode.class);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/v1beta/models/gemini-x%3AgenerateContent",
        "/v1beta/models/org%2Fgemini-x:generateContent",
        "/v1/models/gemini-x:generateContent"
    })
    void d04_the_models_name_and_the_verb_may_be_escaped(String path) throws IOException {
        try (var node = node(SimEngine.VLLM, "Yes.")) {
            assertThat(node.answer(path, ask("")).path("modelVersion").textValue())
                    .endsWith("gemini-x");
        }
    }

    @Test
    void the_key_is_taken_from_each_of_its_places() throws IOException {
        try (var node = node(SimEngine.VLLM, "Yes.")) {
            assertThat(send(node, WHOLE, "x-goog-api-key", Node.KEY)).isEqualTo(200);
            assertThat(send(node, WHOLE + "?key=" + Node.KEY, "x-other", "x")).isEqualTo(200);
            assertThat(send(node, "/s/" + Node.KEY + WHOLE, "x-other", "x")).isEqualTo(200);
            assertThat(send(node, EVENTS + "&key=" + Node.KEY, "x-other", "x")).isEqualTo(200);
            assertThat(send(node, WHOLE, "x-other", "x")).isEqualTo(401);
        }
    }

    private static int send(Node node, String path, String header, String value) throws IOException {
        return node.send(HttpRequest.newBuilder(URI.create(node.front.url() + path))
                        .header(header, value)
                        .POST(HttpRequest.BodyPublishers.ofString(ask("")))
                        .build())
                .statusCode();
    }

    @ParameterizedTest
    @EnumSource(SimEngine.class)
    void d05_tokens_are_counted_by_the_engine_and_are_no_completion(SimEngine engine) throws IOException {
        try (var node = node(engine, "x")) {
            var counted = node.answer(COUNT, ask(TOOLS));
            var nested = node.answer(
                    COUNT,
                    "{\"generateContentRequest\":{\"model\":\"models/m\","
                            + ask(TOOLS).substring(1) + "}");
            assertThat(node.recorder.entries).isEmpty();
            node.answer(WHOLE, ask(TOOLS));
            int prompt = node.recorder.entries.getFirst().promptIds().length;
            assertThat(counted).isEqualTo(Bodies.tree("{'totalTokens':" + prompt + "}"));
            assertThat(nested).isEqualTo(counted);
        }
    }

    @Test
    void d06_thoughts_are_not_shown_to_an_agent_that_wants_none_and_still_come_back() throws IOException {
        try (var node = node(SimEngine.VLLM, "<think>hm</think>Yes.")) {
            var answer =
                    node.answer(WHOLE, ask(",\"generationConfig\":{\"thinkingConfig\":{\"includeThoughts\":false}}"));
            var parts = (ArrayNode) answer.at("/candidates/0/content/parts");
            assertThat(parts).hasSize(1);
            assertThat(parts.get(0).path("text").textValue()).isEqualTo("Yes.");
            var call = new GoogleDecoder(
                            Bodies.parsed("{\"contents\":[" + answer.at("/candidates/0/content") + "]}"),
                            node.session.reasoningSeal())
                    .decode("m", false);
            assertThat(call.messages().at("/0/reasoning_content").textValue()).isEqualTo("hm");
        }
    }

    @ParameterizedTest
    @EnumSource(SimEngine.class)
    void d09_usage_tells_thoughts_apart_and_adds_up(SimEngine engine) throws IOException {
        try (var node = node(engine, "<think>hm hm hm</think>Yes.")) {
            var usage = node.answer(WHOLE, ask("")).path("usageMetadata");
            var entry = node.recorder.entries.getFirst();
            assertThat(usage.path("promptTokenCount").intValue()).isEqualTo(entry.promptIds().length);
            assertThat(usage.path("thoughtsTokenCount").intValue()).isPositive();
            assertThat(usage.path("candidatesTokenCount").intValue()
                            + usage.path("thoughtsTokenCount").intValue())
                    .isEqualTo(entry.sampledIds().length);
            assertThat(usage.path("totalTokenCount").intValue())
                    .isEqualTo(entry.promptIds().length + entry.sampledIds().length);
        }
    }

    @ParameterizedTest
    @CsvSource({"stop,STOP", "length,MAX_TOKENS", "tool_calls,STOP", "content_filter,SAFETY", "repetition,OTHER"})
    void finish_reasons_have_googles_words(String engines, String googles) {
        assertThat(GoogleEncoder.finishReason(engines)).isEqualTo(googles);
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void a06_arguments_reach_the_agent_with_their_key_order_and_number_text(Way way) throws IOException {
        try (var node = node(SimEngine.VLLM, CALL)) {
            var path = switch (way) {
                case IN_WHOLE -> WHOLE;
                case IN_EVENTS -> EVENTS;
                case IN_ARRAY -> ARRAY;
            };
            assertThat(node.post(path, ask(TOOLS)).body()).contains("\"args\":" + ARGUMENTS);
        }
    }

    @Test
    void no_event_holds_what_ends_a_line_for_a_parser() {
        var answer = Answers.of(
                "{'choices':[{'message':{'role':'assistant','content':'a\u2028b','tool_calls':[{'id':'c','type':'function',"
                        + "'function':{'name':'f','arguments':'{\\n  \\'x\\': 1\\r\\n}'}}]},'finish_reason':'tool_calls'}]}"
                                .replace("\\'", "\\\""));
        var call = new GoogleDecoder(Bodies.parsed(ask("")), new ReasoningSeal()).decode("m", true);
        var stream = new GoogleStream(new GoogleEncoder(call, new ReasoningSeal()), false);
        var text = new String(stream.answer(Reply.of(answer)), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(text.lines().filter(line -> !line.isEmpty())).hasSize(2).allMatch(line -> line.startsWith("data: "));
        assertThat(text).doesNotContain("\u2028", "\r").contains("a\\u2028b");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{no json | tool_calls | MALFORMED_FUNCTION_CALL",
                "[1] | tool_calls | MALFORMED_FUNCTION_CALL",
                "null | stop | MALFORMED_FUNCTION_CALL",
                "{\\\"a\\\": | length | MAX_TOKENS"
            })
    void b14_a_call_whose_arguments_are_no_object_is_told_in_googles_words(
            String arguments, String finish, String reason) {
        var answer =
                Answers.of("{'choices':[{'message':{'role':'assistant','content':null,'tool_calls':[{'id':'c1','type':"
                        + "'function','function':{'name':'f','arguments':'" + arguments + "'}},{'id':'c2','type':"
                        + "'function','function':{'name':'g','arguments':'{}'}}]},'finish_reason':'" + finish + "'}]}");
        var call = new GoogleDecoder(Bodies.parsed(ask("")), new ReasoningSeal()).decode("m", false);
        var candidate = new GoogleEncoder(call, new ReasoningSeal())
                .whole(Reply.of(answer))
                .at("/candidates/0");
        assertThat(candidate.path("finishReason").textValue()).isEqualTo(reason);
        assertThat(candidate.path("finishMessage").textValue()).contains("f(" + arguments.replace("\\", "") + ")");
        assertThat(candidate.at("/content/parts/0/functionCall/name").textValue())
                .isEqualTo("g");
        assertThat(candidate.at("/content/parts")).hasSize(1);
    }

    /** Turn by turn as the agents do it: the call comes back as compact JSON, numbers as JavaScript writes them. */
    @ParameterizedTest
    @CsvSource({
        "VLLM,IN_WHOLE", "VLLM,IN_EVENTS", "VLLM,IN_ARRAY",
        "SGLANG,IN_WHOLE", "SGLANG,IN_EVENTS", "SGLANG,IN_ARRAY"
    })
    void b18_three_turns_with_calls_are_one_chain(SimEngine engine, Way way) throws IOException {
        Function<JsonNode, String> model =
                request -> switch (request.path("messages").size()) {
                    case 2 -> "<think>\nlook first\n</think>\n\nLet me look.\n" + CALL;
                    case 4 -> "<think>\nagain\n</think>\n\n" + CALL + "\n" + CALL;
                    default -> "<think>\nenough\n</think>\n\nDone.";
                };
        try (var node = node(engine, model)) {
            var body = Bodies.object("{'systemInstruction':{'parts':[{'text':'be brief'}]},'contents':["
                    + "{'role':'user','parts':[{'text':'hi'}]}]" + TOOLS.replace('"', '\'') + "}");
            var contents = (ArrayNode) body.get("contents");
            for (int turn = 0; turn < 3; turn++) {
                var parts = parts(way.ask(node, Bodies.text(body)));
                var results = echo(contents, parts);
                if (turn < 2) {
                    assertThat(results).hasSize(turn + 1);
                    contents.addObject().put("role", "user").set("parts", results);
                }
            }
            Chains.assertOneChain(node.recorder.entries, 3);
        }
    }

    /** Adds the model's turn as an agent keeps it, without thoughts, and makes the results of its calls. */
    private static ArrayNode echo(ArrayNode contents, List<JsonNode> parts) {
        var kept = contents.addObject().put("role", "model").putArray("parts");
        var results = contents.arrayNode();
        for (var part : parts) {
            if (part.path("thought").booleanValue()) {
                continue;
            }
            var copy = part.deepCopy();
            if (copy.get("functionCall") instanceof ObjectNode function) {
                var id = "get_weather__" + function.path("id").textValue();
                function.put("id", id).set("args", Bodies.tree("{'z':1,'a':2,'n':1}"));
                results.addObject()
                        .putObject("functionResponse")
                        .put("id", id)
                        .put("name", "get_weather")
                        .putObject("response")
                        .put("output", "18 degrees");
            }
            kept.add(copy);
        }
        return results;
    }

    @Test
    void d08_an_answer_obeys_the_schema() throws IOException {
        try (var node = new Node(SimOptions.defaults())) {
            var answer = node.answer(
                    WHOLE,
                    ask(
                            ",\"generationConfig\":{\"responseMimeType\":\"application/json\",\"responseSchema\":"
                                    + "{\"type\":\"OBJECT\",\"required\":[\"a\"],\"properties\":{\"a\":{\"type\":\"INTEGER\"}}}}"));
            var text = answer.at("/candidates/0/content/parts/0/text").textValue();
            assertThat(Bodies.parsed(text).path("a").isIntegralNumber()).isTrue();
        }
    }

    @Test
    void log_probabilities_are_shown_where_they_were_asked_for() throws IOException {
        try (var node = node(SimEngine.VLLM, "Yes.")) {
            var candidate = node.answer(WHOLE, ask(",\"generationConfig\":{\"responseLogprobs\":true,\"logprobs\":1}"))
                    .at("/candidates/0");
            var entry = node.recorder.entries.getFirst();
            var chosen = candidate.at("/logprobsResult/chosenCandidates");
            assertThat(chosen).hasSize(entry.sampledIds().length);
            assertThat(chosen.get(0).path("tokenId").intValue()).isEqualTo(entry.sampledIds()[0]);
            assertThat(chosen.get(0).path("logProbability").doubleValue()).isEqualTo(entry.logprobs()[0]);
            assertThat(node.answer(WHOLE, ask("")).at("/candidates/0").has("logprobsResult"))
                    .isFalse();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "400,INVALID_ARGUMENT",
        "401,UNAUTHENTICATED",
        "403,PERMISSION_DENIED",
        "404,NOT_FOUND",
        "413,INVALID_ARGUMENT",
        "422,INVALID_ARGUMENT",
        "429,RESOURCE_EXHAUSTED",
        "500,INTERNAL",
        "503,UNAVAILABLE"
    })
    void b10_an_engines_error_has_googles_shape(int status, String word) throws IOException {
        try (var node = new Node(SimOptions.defaults())) {
            node.sim
                    .faults()
                    .add(
                            dev.polar.sim.Fault.status(status)
                                    .saying("the reason why")
                                    .retryAfter(7),
                            3);
            for (var path : new String[] {WHOLE, EVENTS, ARRAY}) {
                var response = node.post(path, ask(""));
                var error = Bodies.parsed(response.body()).path("error");
                assertThat(response.statusCode()).isEqualTo(status);
                assertThat(response.headers().firstValue("retry-after")).contains("7");
                assertThat(error.path("code").intValue()).isEqualTo(status);
                assertThat(error.path("status").textValue()).isEqualTo(word);
                assertThat(error.path("message").textValue()).contains("the reason why");
                assertThat(error.at("/details/0/retryDelay").textValue()).isEqualTo("7s");
            }
        }
    }

    @Test
    void a_full_context_is_told_in_the_words_that_agents_know() throws IOException {
        for (var engine : SimEngine.values()) {
            try (var node = new Node(
                    SimOptions.builder().engine(engine).contextLength(64).build())) {
                var response = node.post(EVENTS, ask("").replace("hi", "word ".repeat(200)));
                assertThat(response.statusCode()).isEqualTo(400);
                assertThat(Bodies.parsed(response.body()).at("/error/message").textValue())
                        .matches(
                                "The input token count \\(\\d+\\) exceeds the maximum number of tokens allowed \\(64\\)\\.");
            }
        }
    }

    @Test
    void what_is_not_served_is_told_in_googles_shape() throws IOException {
        try (var node = new Node(SimOptions.defaults())) {
            for (var path :
                    new String[] {MODEL + ":embedContent", "/v1beta/files", "/v1beta/models/:generateContent"}) {
                var response = node.post(path, ask(""));
                assertThat(response.statusCode()).isEqualTo(404);
                assertThat(Bodies.parsed(response.body()).at("/error/status").textValue())
                        .isEqualTo("NOT_FOUND");
            }
            assertThat(node.post(WHOLE, "[]").body()).contains("INVALID_ARGUMENT");
        }
    }

    @Test
    void a_waiting_stream_is_kept_alive_by_blank_lines() throws IOException {
        try (var node = new Node(
                SimOptions.builder().perPromptToken(Duration.ofMillis(20)).build(),
                Node.Setup.DEFAULT.times(AT_ONCE))) {
            var events = node.post(EVENTS, ask("")).body();
            assertThat(events).startsWith("\n\n\n");
            assertThat(events.strip()).startsWith("data: {");
            assertThat(Node.events(events)
                            .getLast()
                            .at("/candidates/0/finishReason")
                            .textValue())
                    .isEqualTo("STOP");
            var array = node.post(ARRAY, ask("")).body();
            assertThat(array).startsWith("[\n\n");
            assertThat(Bodies.parsed(array)).isNotEmpty();
            assertThat(node.recorder.delivered).hasSize(2);
        }
    }

    @Test
    void b11_an_error_in_an_open_stream_is_a_bare_object_in_a_write_of_its_own() throws Exception {
        try (var node = new Node(
                SimOptions.builder().perToken(Duration.ofSeconds(30)).build(), Node.Setup.DEFAULT.times(AT_ONCE))) {
            var events = new FutureTask<>(() -> node.post(EVENTS, ask("")));
            var array = new FutureTask<>(() -> node.post(ARRAY, ask("")));
            Thread.ofVirtual().start(events);
            Thread.ofVirtual().start(array);
            await().until(() -> node.sim.running() == 2);
            Thread.sleep(200);
            node.session.close();
            assertThat(events.get().statusCode()).isEqualTo(200);
            assertThat(events.get().body()).doesNotContain("data:");
            assertThat(Bodies.parsed(events.get().body()).at("/error/status").textValue())
                    .isEqualTo("UNAVAILABLE");
            assertThat(Bodies.parsed(array.get().body()).at("/0/error/code").intValue())
                    .isEqualTo(503);
            assertThat(node.recorder.failed).hasValue(2);
        }
    }

    @Test
    void hosted_tools_are_left_out_and_counted() throws IOException {
        try (var node = node(SimEngine.VLLM, "Yes.")) {
            node.answer(WHOLE, ask(",\"tools\":[{\"googleSearch\":{}}]"));
            assertThat(node.upstream().has("tools")).isFalse();
            assertThat(node.session.dropped()).containsEntry("hosted_tool:googleSearch", 1L);
        }
    }
}
