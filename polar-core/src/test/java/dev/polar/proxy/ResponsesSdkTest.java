package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.openai.core.JsonSchemaLocalValidation;
import com.openai.core.JsonValue;
import com.openai.errors.BadRequestException;
import com.openai.errors.UnauthorizedException;
import com.openai.helpers.ResponseAccumulator;
import com.openai.models.responses.CustomTool;
import com.openai.models.responses.FunctionTool;
import com.openai.models.responses.NamespaceTool;
import com.openai.models.responses.Response;
import com.openai.models.responses.ResponseCreateParams;
import com.openai.models.responses.ResponseIncludable;
import com.openai.models.responses.ResponseInputImage;
import com.openai.models.responses.ResponseInputItem;
import com.openai.models.responses.ResponseOutputItem;
import com.openai.models.responses.ResponseStatus;
import dev.polar.sim.Answer;
import dev.polar.sim.Policy;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** OpenAI's Java SDK, Responses. */
class ResponsesSdkTest {
    /** A structured output. */
    static final class Report {
        public String city;
        public int degrees;
    }

    private static ResponseCreateParams.Builder request() {
        var schema = FunctionTool.Parameters.builder()
                .putAdditionalProperty("type", JsonValue.from("object"))
                .putAdditionalProperty("properties", JsonValue.from(Map.of("city", Map.of("type", "string"))))
                .build();
        return ResponseCreateParams.builder()
                .model("made-up")
                .instructions("Be brief.")
                .addTool(FunctionTool.builder()
                        .name("get_weather")
                        .parameters(schema)
                        .strict(false)
                        .build());
    }

    /** Whole, or put together from its events; valid in the SDK's eyes. */
    private static Response ask(OpenAiSdk sdk, ResponseCreateParams request, boolean streamed) {
        if (!streamed) {
            return sdk.client.responses().create(request).validate();
        }
        var accumulator = ResponseAccumulator.create();
        try (var stream = sdk.client.responses().createStreaming(request)) {
            stream.stream().forEach(event -> accumulator.accumulate(event.validate()));
        }
        return accumulator.response().validate();
    }

    private static ResponseInputItem user(String text) {
        return ResponseInputItem.ofMessage(ResponseInputItem.Message.builder()
                .role(ResponseInputItem.Message.Role.USER)
                .addInputTextContent(text)
                .build());
    }

    private static ResponseInputItem echo(ResponseOutputItem item) {
        return item.isReasoning()
                ? ResponseInputItem.ofReasoning(item.asReasoning())
                : item.isMessage()
                        ? ResponseInputItem.ofResponseOutputMessage(item.asMessage())
                        : ResponseInputItem.ofFunctionCall(item.asFunctionCall());
    }

    private static List<ResponseInputItem> results(Response response) {
        return response.output().stream()
                .filter(ResponseOutputItem::isFunctionCall)
                .map(item -> ResponseInputItem.ofFunctionCallOutput(ResponseInputItem.FunctionCallOutput.builder()
                        .callId(item.asFunctionCall().callId())
                        .output("sunny")
                        .build()))
                .toList();
    }

    private static String text(Response response) {
        return response.output()
                .getLast()
                .asMessage()
                .content()
                .getFirst()
                .asOutputText()
                .text();
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void a_tool_loop_that_sends_its_whole_history_is_one_chain(Way way) throws IOException {
        try (var sdk = new OpenAiSdk(way, true)) {
            var history = new ArrayList<ResponseInputItem>(List.of(user("Weather?")));
            Response response;
            List<ResponseInputItem> results;
            do {
                response = ask(
                        sdk,
                        request()
                                .inputOfResponse(history)
                                .store(false)
                                .include(List.of(ResponseIncludable.REASONING_ENCRYPTED_CONTENT))
                                .build(),
                        way.streamed);
                assertThat(response.status()).contains(ResponseStatus.COMPLETED);
                response.output().forEach(item -> history.add(echo(item)));
                results = results(response);
                history.addAll(results);
            } while (!results.isEmpty());
            assertThat(text(response)).isEqualTo("text 2");
            Chains.assertOneChain(sdk.node.recorder.entries, 3);
        }
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void a_tool_loop_that_goes_on_from_the_last_answer_is_one_chain(Way way) throws IOException {
        try (var sdk = new OpenAiSdk(way, true)) {
            var response = ask(sdk, request().input("Weather?").build(), way.streamed);
            assertThat(results(response)).hasSize(2);
            for (var results = results(response); !results.isEmpty(); results = results(response)) {
                var next = request().previousResponseId(response.id()).inputOfResponse(results);
                response = ask(sdk, next.build(), way.streamed);
            }
            assertThat(text(response)).isEqualTo("text 2");
            assertThat(response.usage().orElseThrow().outputTokens())
                    .isEqualTo(sdk.node.recorder.entries.getLast().sampledIds().length);
            Chains.assertOneChain(sdk.node.recorder.entries, 3);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void calls_in_all_forms_are_valid_in_the_sdks_eyes(boolean streamed) throws IOException {
        var made = List.of(
                new Answer.Call("apply_patch", Bodies.tree("{'input':'*** Begin Patch'}")),
                new Answer.Call("local_shell", Bodies.tree("{'command':['ls'],'timeout_ms':5}")),
                new Answer.Call("mcp__find", Bodies.tree("{'q':1}")));
        var options = SimOptions.builder()
                .policy((request, random) -> new Policy.Decision(new Answer.Message("", "", made)))
                .build();
        try (var sdk = new OpenAiSdk(options)) {
            var request = ResponseCreateParams.builder()
                    .model("made-up")
                    .input("Go.")
                    .addTool(CustomTool.builder().name("apply_patch").build())
                    .addToolLocalShell()
                    .addTool(NamespaceTool.builder()
                            .name("mcp")
                            .description("Finds things.")
                            .addTool(NamespaceTool.Tool.Function.builder()
                                    .name("find")
                                    .build())
                            .build())
                    .build();
            var output = ask(sdk, request, streamed).output();
            assertThat(output.get(0).asCustomToolCall().input()).isEqualTo("*** Begin Patch");
            assertThat(output.get(1).asLocalShellCall().action().command()).containsExactly("ls");
            assertThat(output.get(2).asFunctionCall().name()).isEqualTo("find");
            assertThat(output.get(2).asFunctionCall().namespace()).contains("mcp");
            assertThat(sdk.node.upstream().at("/tools/2/function/description").textValue())
                    .isEqualTo("Finds things.");
        }
    }

    @ParameterizedTest
    @EnumSource(SimEngine.class)
    void a_picture_reaches_the_model(SimEngine engine) throws IOException {
        try (var sdk = new OpenAiSdk(engine, false)) {
            var picture = ResponseInputItem.ofMessage(ResponseInputItem.Message.builder()
                    .role(ResponseInputItem.Message.Role.USER)
                    .addInputTextContent("What is this?")
                    .addContent(ResponseInputImage.builder()
                            .imageUrl(OpenAiSdk.PICTURE)
                            .detail(ResponseInputImage.Detail.AUTO)
                            .build())
                    .build());
            ask(sdk, request().inputOfResponse(List.of(picture)).build(), false);
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
            var request = ResponseCreateParams.builder()
                    .model("made-up")
                    .input("Report.")
                    .text(Report.class, JsonSchemaLocalValidation.YES)
                    .build();
            var report = sdk.client.responses().create(request).output().stream()
                    .flatMap(item -> item.message().stream())
                    .flatMap(message -> message.content().stream())
                    .flatMap(content -> content.outputText().stream())
                    .findFirst()
                    .orElseThrow();
            assertThat(sdk.node
                            .upstream()
                            .at("/response_format/json_schema/schema/properties/degrees/type")
                            .textValue())
                    .isEqualTo("integer");
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
        try (var sdk = new OpenAiSdk(SimEngine.VLLM, false)) {
            var unknown = request().input("hi").previousResponseId("resp_x").build();
            assertThatThrownBy(() -> sdk.client.responses().create(unknown))
                    .isInstanceOf(BadRequestException.class)
                    .satisfies(error ->
                            assertThat(((BadRequestException) error).code()).contains("previous_response_not_found"));
            sdk.node.directory.remove(Node.KEY);
            assertThatThrownBy(() ->
                            sdk.client.responses().create(request().input("hi").build()))
                    .isInstanceOf(UnauthorizedException.class);
        }
        try (var sdk = new OpenAiSdk(SimOptions.builder().contextLength(16).build())) {
            var tooLong = request().input("word ".repeat(50)).build();
            assertThatThrownBy(() -> sdk.client.responses().create(tooLong))
                    .isInstanceOf(BadRequestException.class)
                    .satisfies(error ->
                            assertThat(((BadRequestException) error).code()).contains("context_length_exceeded"));
        }
    }
}
