package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import dev.polar.sim.Answer;
import dev.polar.sim.Policy;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimOptions;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.params.provider.Arguments;

/** OpenAI's own SDK before a node whose model calls two tools at once, then one, then is done. */
final class OpenAiSdk implements AutoCloseable {
    static final String PICTURE =
            "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==";

    final Node node;
    final OpenAIClient client;

    OpenAiSdk(SimEngine engine, boolean reasoning) throws IOException {
        this(SimOptions.builder()
                .engine(engine)
                .policy((request, random) -> new Policy.Decision(answer(request, reasoning)))
                .reasoning(true)
                .build());
    }

    OpenAiSdk(SimOptions options) throws IOException {
        node = new Node(options);
        client = OpenAIOkHttpClient.builder()
                .baseUrl(node.front.url() + "/v1")
                .apiKey(Node.KEY)
                .maxRetries(0)
                .build();
    }

    static Stream<Arguments> setups() {
        return Arrays.stream(SimEngine.values())
                .flatMap(engine -> Stream.of(Arguments.of(engine, false), Arguments.of(engine, true)));
    }

    private static Answer answer(JsonNode request, boolean reasoning) {
        long turn = StreamSupport.stream(request.path("messages").spliterator(), false)
                .filter(message -> message.path("role").textValue().equals("assistant"))
                .count();
        var calls = turn == 0
                ? List.of(call("{'city':'Ulm','days':1.50}"), call("{'city':'Zürich'}"))
                : turn == 1 ? List.of(call("{ 'city' : 'Bern'}")) : List.<Answer.Call>of();
        return new Answer.Message(
                reasoning && turn < 2 ? "thought " + turn : "", turn == 1 ? "" : "text " + turn, calls);
    }

    private static Answer.Call call(String arguments) {
        return new Answer.Call("get_weather", Bodies.tree(arguments));
    }

    @Override
    public void close() {
        client.close();
        node.close();
    }
}
