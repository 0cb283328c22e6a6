package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.openai.core.JsonSchemaLocalValidation;
import com.openai.core.JsonValue;
import com.openai.errors.BadRequestException;
import com.openai.errors.UnauthorizedException;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.models.FunctionDefinition;
import com.openai.models.FunctionParameters;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionContentPart;
import com.openai.models.chat.completions.ChatCompletionContentPartImage;
import com.openai.models.chat.completions.ChatCompletionContentPartText;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionFunctionTool;
import com.openai.models.chat.completions.ChatCompletionMessageToolCall;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import com.openai.models.chat.completions.ChatCompletionToolMessageParam;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimOptions;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** OpenAI's Java SDK, Chat Completions. */
class ChatSdkTest {
    /** A structured output. */
    static final class Report {
        public String city;
        public int degrees;
    }

    private static ChatCompletionCreateParams.Builder request() {
        var schema = FunctionParameters.builder()
                .putAdditionalProperty("type", JsonValue.from("object"))
                .putAdditionalProperty("properties", JsonValue.from(Map.of("city", Map.of("type", "string"))))
                .build();
        return ChatCompletionCreateParams.builder()
                .model("made-up")
                .addSystemMessage("Be brief.")
                .addTool(ChatCompletionFunctionTool.builder()
                        .function(FunctionDefinition.builder()
                                .name("get_weather")
                                .parameters(schema)
                                .build())
                        .build());
    }

    /** Whole, or put together from its chunks; valid in the SDK's eyes. */
    private static ChatCompletion ask(OpenAiSdk sdk, ChatCompletionCreateParams.Builder request, boolean streamed) {
        if (!streamed) {
            return sdk.client.chat().completions().create(request.build()).validate();
        }
        var accumulator = ChatCompletionAccumulator.create();
        var options = ChatCompletionStreamOptions.builder().includeUsage(true).build();
        try (var stream = sdk.client
                .chat()
                .completions()
                .createStreaming(request.streamOptions(options).build())) {
            stream.stream().forEach(chunk -> accumulator.accumulate(chunk.validate()));
        }
        return accumulator.chatCompletion().validate();
    }

    private static List<ChatCompletionMessageToolCall> calls(ChatCompletion completion) {
        return completion.choices().getFirst().message().toolCalls().orElse(List.of());
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void a_tool_loop_is_one_chain(Way way) throws IOException {
        try (var sdk = new OpenAiSdk(way, false)) {
            var request = request().addUserMessage("Weather?");
            var completion = ask(sdk, request, way.streamed);
            assertThat(calls(completion)).hasSize(2);
            while (!calls(completion).isEmpty()) {
                request.addMessage(completion.choices().getFirst().message());
                for (var call : calls(completion)) {
                    request.addMessage(ChatCompletionToolMessageParam.builder()
                            .toolCallId(call.asFunction().id())
                            .content("sunny")
                            .build());
                }
                completion = ask(sdk, request, way.streamed);
            }
            assertThat(completion.choices().getFirst().message().content()).contains("text 2");
            assertThat(completion.usage().orElseThrow().completionTokens())
                    .isEqualTo(sdk.node.recorder.entries.getLast().sampledIds().length);
            Chains.assertOneChain(sdk.node.recorder.entries, 3);
        }
    }

    @ParameterizedTest
    @EnumSource(SimEngine.class)
    void a_picture_reaches_the_model(SimEngine engine) throws IOException {
        try (var sdk = new OpenAiSdk(engine, false)) {
            var picture = ChatCompletionContentPartImage.builder()
                    .imageUrl(ChatCompletionContentPartImage.ImageUrl.builder()
                            .url(OpenAiSdk.PICTURE)
                            .build())
                    .build();
            var text = ChatCompletionContentPartText.builder()
                    .text("What is this?")
                    .build();
            ask(
                    sdk,
                    request()
                            .addUserMessageOfArrayOfContentParts(List.of(
                                    ChatCompletionContentPart.ofText(text),
                                    ChatCompletionContentPart.ofImageUrl(picture))),
                    false);
            assertThat(sdk.node
                            .upstream()
                            .at("/messages/1/content/1/image_url/url")
                            .textValue())
                    .isEqualTo(OpenAiSdk.PICTURE);
        }
    }

    @ParameterizedTest
    @EnumSource(SimEngine.class)
    void a_structured_output_is_asked_of_the_engine(SimEngine engine) throws IOException {
        try (var sdk = new OpenAiSdk(engine, false)) {
            var request = ChatCompletionCreateParams.builder()
                    .model("made-up")
                    .addUserMessage("Report.")
                    .responseFormat(Report.class, JsonSchemaLocalValidation.YES)
                    .build();
            var report = sdk.client
                    .chat()
                    .completions()
                    .create(request)
                    .choices()
                    .getFirst()
                    .message()
                    .content()
                    .orElseThrow();
            assertThat(report.city).isNotEmpty();
            assertThat(report.degrees).isPositive();
            assertThat(sdk.node
                            .recorder
                            .entries
                            .getFirst()
                            .metadata()
                            .path("guided")
                            .booleanValue())
                    .isTrue();
        }
    }

    @Test
    void an_error_is_one_that_the_sdk_knows() throws IOException {
        try (var sdk = new OpenAiSdk(SimOptions.builder().contextLength(16).build())) {
            var tooLong = request().addUserMessage("word ".repeat(50)).build();
            assertThatThrownBy(() -> sdk.client.chat().completions().create(tooLong))
                    .isInstanceOf(BadRequestException.class)
                    .satisfies(error ->
                            assertThat(((BadRequestException) error).code()).contains("context_length_exceeded"));
            sdk.node.directory.remove(Node.KEY);
            assertThatThrownBy(() -> sdk.client.chat().completions().create(tooLong))
                    .isInstanceOf(UnauthorizedException.class);
        }
    }
}
