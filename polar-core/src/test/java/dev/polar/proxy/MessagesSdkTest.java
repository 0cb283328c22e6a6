package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.core.JsonValue;
import com.anthropic.errors.AnthropicServiceException;
import com.anthropic.errors.BadRequestException;
import com.anthropic.errors.RateLimitException;
import com.anthropic.errors.UnauthorizedException;
import com.anthropic.helpers.MessageAccumulator;
import com.anthropic.models.messages.Base64ImageSource;
import com.anthropic.models.messages.ContentBlockParam;
import com.anthropic.models.messages.JsonOutputFormat;
import com.anthropic.models.messages.Message;
import com.anthropic.models.messages.MessageContentParam;
import com.anthropic.models.messages.MessageCountTokensParams;
import com.anthropic.models.messages.MessageCreateParams;
import com.anthropic.models.messages.OutputConfig;
import com.anthropic.models.messages.StopReason;
import com.anthropic.models.messages.Tool;
import com.anthropic.models.messages.ToolResultBlockParam;
import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.sim.Answer;
import dev.polar.sim.Policy;
import dev.polar.sim.SimOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Anthropic's own SDK as the agent. */
class MessagesSdkTest {
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

    private static AnthropicClient client(Node node, String key) {
        return AnthropicOkHttpClient.builder()
                .baseUrl(node.front.url())
                .apiKey(key)
                .maxRetries(0)
                .build();
    }

    private static MessageCreateParams.Builder params() {
        return MessageCreateParams.builder()
                .model("claude-x")
                .maxTokens(2_000)
                .system("be brief")
                .enabledThinking(1_024)
                .addUserMessage("hi");
    }

    private static Tool weather() {
        return Tool.builder()
                .name("get_weather")
                .description("tells the weather")
                .inputSchema(Tool.InputSchema.builder()
                        .properties(Tool.InputSchema.Properties.builder()
                                .putAdditionalProperty("city", JsonValue.from(Map.of("type", "string")))
                                .build())
                        .build())
                .build();
    }

    private static Message ask(AnthropicClient client, MessageCreateParams params, boolean stream) {
        if (!stream) {
            return client.messages().create(params);
        }
        var message = MessageAccumulator.create();
        try (var events = client.messages().createStreaming(params)) {
            events.stream().forEach(message::accumulate);
        }
        return message.message();
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
        try (var node = node(way, model)) {
            var client = client(node, Node.KEY);
            var params = params().addTool(weather());
            Message answer = null;
            for (int turn = 0; turn < 3; turn++) {
                answer = ask(client, params.build(), way.streamed).validate();
                params.addMessage(answer);
                var results = results(answer);
                assertThat(results).hasSize(turn < 2 ? turn + 1 : 0);
                assertThat(answer.stopReason()).contains(results.isEmpty() ? StopReason.END_TURN : StopReason.TOOL_USE);
                if (turn < 2) {
                    params.addUserMessage(MessageContentParam.ofContentBlockParams(results));
                }
            }
            assertThat(answer.content().get(0).asThinking().thinking().strip()).isEqualTo("enough");
            assertThat(answer.content().get(1).asText().text()).isEqualTo("Done.");
            assertThat(answer.usage().outputTokens())
                    .isEqualTo(node.recorder.entries.getLast().sampledIds().length);
            assertThat(node.upstream().at("/messages/3/content").textValue()).isEqualTo("18 in Rome");
            Chains.assertOneChain(node.recorder.entries, 3);
            assertThat(node.recorder.delivered).hasSize(3);
            client.close();
        }
    }

    private static List<ContentBlockParam> results(Message answer) {
        var results = new ArrayList<ContentBlockParam>();
        for (var block : answer.content()) {
            block.toolUse().ifPresent(call -> {
                var city = call._input().convert(Map.class).get("city");
                results.add(ContentBlockParam.ofToolResult(ToolResultBlockParam.builder()
                        .toolUseId(call.id())
                        .content("18 in " + city)
                        .build()));
            });
        }
        return results;
    }

    @Test
    void a14_a_picture_reaches_the_model() throws IOException {
        try (var node = node(Way.VLLM_WHOLE, request -> "A cat.")) {
            var client = client(node, Node.KEY);
            var picture = ContentBlockParam.ofImage(Base64ImageSource.builder()
                    .mediaType(Base64ImageSource.MediaType.IMAGE_PNG)
                    .data("AAAA")
                    .build());
            var answer = client.messages()
                    .create(params().addUserMessage(MessageContentParam.ofContentBlockParams(List.of(picture)))
                            .build());
            assertThat(answer.content().getFirst().asText().text()).isEqualTo("A cat.");
            assertThat(node.upstream().at("/messages/1/content/1/image_url/url").textValue())
                    .isEqualTo("data:image/png;base64,AAAA");
            client.close();
        }
    }

    @Test
    void structured_output_obeys_the_schema() throws IOException {
        try (var node = new Node(SimOptions.defaults())) {
            var client = client(node, Node.KEY);
            var schema = JsonOutputFormat.Schema.builder()
                    .putAdditionalProperty("type", JsonValue.from("object"))
                    .putAdditionalProperty("properties", JsonValue.from(Map.of("n", Map.of("type", "integer"))))
                    .putAdditionalProperty("required", JsonValue.from(List.of("n")))
                    .build();
            var answer = client.messages()
                    .create(params().outputConfig(OutputConfig.builder()
                                    .format(JsonOutputFormat.builder()
                                            .schema(schema)
                                            .build())
                                    .build())
                            .build());
            var text = answer.content().getFirst().asText().text();
            assertThat(Bodies.parsed(text).path("n").isIntegralNumber()).isTrue();
            client.close();
        }
    }

    @Test
    void a16_tokens_are_counted() throws IOException {
        try (var node = new Node(SimOptions.defaults())) {
            var client = client(node, Node.KEY);
            var counted = client.messages()
                    .countTokens(MessageCountTokensParams.builder()
                            .model("claude-x")
                            .addUserMessage("hi")
                            .build());
            assertThat(counted.inputTokens()).isPositive();
            assertThat(node.recorder.entries).isEmpty();
            client.close();
        }
    }

    @Test
    void errors_are_the_sdks_own_with_status_and_message() throws IOException {
        try (var node = new Node(SimOptions.builder().contextLength(64).build())) {
            var client = client(node, Node.KEY);
            var stranger = client(node, "not-a-session");
            for (boolean stream : new boolean[] {false, true}) {
                assertThat(failure(client, "word ".repeat(200), stream))
                        .isInstanceOf(BadRequestException.class)
                        .hasMessageContaining("prompt is too long: ");
                assertThat(failure(stranger, "hi", stream)).isInstanceOf(UnauthorizedException.class);
                node.sim
                        .faults()
                        .add(dev.polar.sim.Fault.status(429).saying("too many").retryAfter(7));
                var busy = failure(client, "hi", stream);
                assertThat(busy).isInstanceOf(RateLimitException.class).hasMessageContaining("too many");
                assertThat(busy.headers().values("retry-after")).containsExactly("7");
            }
            client.close();
            stranger.close();
        }
    }

    private static AnthropicServiceException failure(AnthropicClient client, String prompt, boolean stream) {
        var params = MessageCreateParams.builder()
                .model("claude-x")
                .maxTokens(10)
                .addUserMessage(prompt)
                .build();
        return catchThrowableOfType(AnthropicServiceException.class, () -> ask(client, params, stream));
    }
}
