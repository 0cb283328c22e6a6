package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import dev.polar.sim.Answer;
import dev.polar.sim.Policy;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimOptions;
import java.io.IOException;
import java.util.List;
import java.util.stream.StreamSupport;

/** OpenAI's own SDK before a node whose model calls two tools at once, then one, then is done. */
final class OpenAiSdk implements AutoCloseable {
    static final String PICTURE =
            "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==";

    final Node node;
    final OpenAIClient client;

    /** For one whole answer after the other. */
    OpenAiSdk(SimEngine engine, boolean reasoning) throws IOException {
        this(engine == SimEngine.VLLM ? Way.VLLM_WHOLE : Way.SGLANG_WHOLE, reasoning);
    }

    OpenAiSdk(Way way, boolean reasoning) throws IOException {
        this(
                SimOptions.builder()
                        .engine(way.engine)
                        .policy((request, random) -> new Policy.Decision(answer(request, reasoning)))
                        .reasoning(true)
                        .build(),
                way.setup());
    }

    OpenAiSdk(SimOptions options) throws IOException {
        this(options, Node.Setup.DEFAULT);
    }

    private OpenAiSdk(SimOptions options, Node.Setup setup) throws IOException {
        node = new Node(options, setup);
        client = OpenAIOkHttpClient.builder()
                .baseUrl(node.front.url() + "/v1")
                .apiKey(Node.KEY)
                .maxRetries(0)
                .build();
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
