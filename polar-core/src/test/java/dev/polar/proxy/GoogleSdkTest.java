package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.genai.Client;
import com.google.genai.errors.ApiException;
import com.google.genai.errors.ClientException;
import com.google.genai.errors.ServerException;
import com.google.genai.types.Content;
import com.google.genai.types.FinishReason;
import com.google.genai.types.FunctionDeclaration;
import com.google.genai.types.FunctionResponse;
import com.google.genai.types.GenerateContentConfig;
import com.google.genai.types.GenerateContentResponse;
import com.google.genai.types.GoogleSearch;
import com.google.genai.types.HttpOptions;
import com.google.genai.types.HttpRetryOptions;
import com.google.genai.types.Part;
import com.google.genai.types.Schema;
import com.google.genai.types.ThinkingConfig;
import com.google.genai.types.Tool;
import com.google.genai.types.Type;
import dev.polar.sim.Answer;
import dev.polar.sim.Policy;
import dev.polar.sim.SimOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Google's own SDK as the agent. */
class GoogleSdkTest {
    private static final String CALL =
            "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"z\": 1, \"a\": 2.50, \"city\": \"Rome\"}}\n</tool_call>";

    private static Node node(Way way, Function<JsonNode, String> model) throws IOException {
        Policy policy = (request, random) -> new Policy.Decision(new Answer.Raw(model.apply(request)));
        return new Node(
                SimOptions.builder()
                        .engine(way.engine)
                        .policy(policy)
                        .reasoning(true)
                        .build(),
                way.setup());
    }

    private static Client client(Node node, String key) {
        return Client.builder()
                .apiKey(key)
                .httpOptions(HttpOptions.builder()
                        .baseUrl(node.front.url())
                        .retryOptions(HttpRetryOptions.builder().attempts(1).build())
                        .build())
                .build();
    }

    private static GenerateContentConfig.Builder config() {
        return GenerateContentConfig.builder()
                .systemInstruction(Content.fromParts(Part.fromText("be brief")))
                .thinkingConfig(ThinkingConfig.builder().includeThoughts(true).build());
    }

    private static Tool weather() {
        return Tool.builder()
                .functionDeclarations(FunctionDeclaration.builder()
                        .name("get_weather")
                        .description("tells the weather")
                        .parameters(Schema.builder()
                                .type(Type.Known.OBJECT)
                                .properties(Map.of(
                                        "city",
                                        Schema.builder()
                                                .type(Type.Known.STRING)
                                                .nullable(true)
                                                .build()))
                                .build())
                        .build())
                .build();
    }

    private static Content user(Part... parts) {
        return Content.builder().role("user").parts(parts).build();
    }

    /** One turn: the parts of the answer, whole or out of a stream. */
    private static List<Part> ask(Client client, List<Content> contents, GenerateContentConfig config, boolean stream) {
        if (!stream) {
            return client.models.generateContent("gemini-x", contents, config).parts();
        }
        var parts = new ArrayList<Part>();
        FinishReason last = null;
        try (var chunks = client.models.generateContentStream("gemini-x", contents, config)) {
            for (var chunk : chunks) {
                parts.addAll(chunk.parts());
                last = chunk.finishReason();
            }
        }
        assertThat(last.knownEnum()).isEqualTo(FinishReason.Known.STOP);
        return parts;
    }

    private static String text(List<Part> parts, boolean thought) {
        return parts.stream()
                .filter(part -> part.thought().orElse(false) == thought)
                .map(part -> part.text().orElseThrow())
                .collect(Collectors.joining());
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void three_turns_with_parallel_calls_are_one_chain(Way way) throws IOException {
        Function<JsonNode, String> model =
                request -> switch (request.path("messages").size()) {
                    case 2 -> "<think>\nlook first\n</think>\n\nLet me look.\n" + CALL;
                    case 4 -> "<think>\nagain\n</think>\n\n" + CALL + "\n" + CALL;
                    default -> "<think>\nenough\n</think>\n\nDone.";
                };
        try (var node = node(way, model);
                var client = client(node, Node.KEY)) {
            var config = config().tools(weather()).build();
            var contents = new ArrayList<>(List.of(user(Part.fromText("hi"))));
            List<Part> parts = List.of();
            for (int turn = 0; turn < 3; turn++) {
                parts = ask(client, contents, config, way.streamed);
                contents.add(Content.builder().role("model").parts(parts).build());
                var results = parts.stream()
                        .flatMap(part -> part.functionCall().stream())
                        .map(call -> Part.builder()
                                .functionResponse(FunctionResponse.builder()
                                        .id(call.id().orElseThrow())
                                        .name(call.name().orElseThrow())
                                        .response(Map.of(
                                                "output",
                                                "18 in "
                                                        + call.args()
                                                                .orElseThrow()
                                                                .get("city")))
                                        .build())
                                .build())
                        .toArray(Part[]::new);
                assertThat(results).hasSize(turn < 2 ? turn + 1 : 0);
                if (turn < 2) {
                    contents.add(user(results));
                }
            }
            assertThat(text(parts, true)).isEqualTo("enough");
            assertThat(text(parts, false)).isEqualTo("Done.");
            assertThat(parts.getFirst().thought()).contains(true);
            assertThat(node.upstream().at("/messages/3/content").textValue()).isEqualTo("18 in Rome");
            Chains.assertOneChain(node.recorder.entries, 3);
            assertThat(node.recorder.delivered).hasSize(3);
        }
    }

    @Test
    void a_whole_answer_has_text_usage_and_a_finish_reason() throws IOException {
        try (var node = node(Way.VLLM_WHOLE, request -> "<think>\nhm\n</think>\n\nHello.");
                var client = client(node, Node.KEY)) {
            GenerateContentResponse answer = client.models.generateContent("gemini-x", "hi", config().build());
            assertThat(answer.text()).isEqualTo("Hello.");
            assertThat(answer.finishReason().knownEnum()).isEqualTo(FinishReason.Known.STOP);
            assertThat(answer.modelVersion()).contains("gemini-x");
            var usage = answer.usageMetadata().orElseThrow();
            var entry = node.recorder.entries.getFirst();
            assertThat(usage.promptTokenCount()).contains(entry.promptIds().length);
            assertThat(usage.totalTokenCount()).contains(entry.promptIds().length + entry.sampledIds().length);
            assertThat(usage.thoughtsTokenCount().orElseThrow()).isPositive();
        }
    }

    @Test
    void d07_a_picture_reaches_the_model() throws IOException {
        try (var node = node(Way.VLLM_WHOLE, request -> "A cat.");
                var client = client(node, Node.KEY)) {
            var contents = user(Part.fromText("what is it?"), Part.fromBytes(new byte[] {-1, -2, -3}, "image/png"));
            assertThat(client.models
                            .generateContent("gemini-x", contents, config().build())
                            .text())
                    .isEqualTo("A cat.");
            assertThat(node.upstream().at("/messages/1/content/1/image_url/url").textValue())
                    .isEqualTo("data:image/png;base64,//79");
        }
    }

    @Test
    void d08_structured_output_obeys_the_schema() throws IOException {
        try (var node = new Node(SimOptions.defaults());
                var client = client(node, Node.KEY)) {
            var config = GenerateContentConfig.builder()
                    .responseMimeType("application/json")
                    .responseSchema(Schema.builder()
                            .type(Type.Known.OBJECT)
                            .properties(Map.of(
                                    "n",
                                    Schema.builder().type(Type.Known.INTEGER).build()))
                            .required("n")
                            .build())
                    .build();
            var answer = client.models.generateContent("gemini-x", "hi", config);
            assertThat(Bodies.parsed(answer.text()).path("n").isIntegralNumber())
                    .isTrue();
        }
    }

    @Test
    void d05_tokens_are_counted() throws IOException {
        try (var node = new Node(SimOptions.defaults());
                var client = client(node, Node.KEY)) {
            var counted = client.models.countTokens("gemini-x", "hi there", null);
            assertThat(counted.totalTokens().orElseThrow()).isPositive();
            assertThat(node.recorder.entries).isEmpty();
        }
    }

    @Test
    void errors_are_the_sdks_own_with_status_and_message() throws IOException {
        try (var node = new Node(SimOptions.builder().contextLength(64).build());
                var client = client(node, Node.KEY);
                var stranger = client(node, "not-a-session")) {
            var full = failure(client, "word ".repeat(200), false);
            assertThat(full).isInstanceOf(ClientException.class);
            assertThat(full.code()).isEqualTo(400);
            assertThat(full.message()).startsWith("The input token count (");
            assertThat(failure(stranger, "hi", false).code()).isEqualTo(401);
            for (boolean stream : new boolean[] {false, true}) {
                node.sim.faults().add(dev.polar.sim.Fault.status(503).saying("too busy"));
                var busy = failure(client, "hi", stream);
                assertThat(busy).isInstanceOf(ServerException.class);
                assertThat(busy.code()).isEqualTo(503);
                assertThat(busy.message()).contains("too busy");
            }
        }
    }

    private static ApiException failure(Client client, String prompt, boolean stream) {
        return catchThrowableOfType(
                ApiException.class, () -> ask(client, List.of(user(Part.fromText(prompt))), config().build(), stream));
    }

    @Test
    void a_hosted_tool_is_left_out() throws IOException {
        try (var node = new Node(SimOptions.defaults());
                var client = client(node, Node.KEY)) {
            var config = config().tools(Tool.builder()
                            .googleSearch(GoogleSearch.builder().build())
                            .build())
                    .build();
            assertThat(client.models.generateContent("gemini-x", "hi", config).text())
                    .isNotEmpty();
            assertThat(node.session.dropped()).containsEntry("hosted_tool:googleSearch", 1L);
        }
    }
}
