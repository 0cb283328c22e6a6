package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.capture.CompletionEntry;
import dev.polar.inference.JsonTree;
import dev.polar.sim.Answer;
import dev.polar.sim.Policy;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimOptions;
import dev.polar.sim.SimTokenizer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** An agent of the Chat API that talks through a proxy to a simulator of which every answer is given here, and what the model was really given. */
final class Conversation implements AutoCloseable {
    static final SimTokenizer TOKENIZER = SimTokenizer.shared();
    static final String TOOLS =
            "[{'type':'function','function':{'name':'look','description':'Looks.','parameters':{'type':'object','properties':{'city':{'type':'string'}}}}}]";

    final Node node;
    private final SimEngine engine;
    private final Deque<Answer> answers = new ArrayDeque<>();
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    /** Changes each request before it is sent. */
    Consumer<ObjectNode> habit = _ -> {};

    Conversation(SimEngine engine) throws IOException {
        this(engine, 1, Node.Setup.DEFAULT.exact());
    }

    /** @param nonCanonical the probability that a token is sampled in two pieces */
    Conversation(SimEngine engine, double nonCanonical, Node.Setup setup) throws IOException {
        this(engine, nonCanonical, setup, null);
    }

    /** @param between makes, of the simulator's URL, the one that the node asks; null for none */
    Conversation(SimEngine engine, double nonCanonical, Node.Setup setup, UnaryOperator<String> between)
            throws IOException {
        this.engine = engine;
        Policy policy = (request, random) -> new Policy.Decision(next(request));
        var options = SimOptions.builder()
                .engine(engine)
                .policy(policy)
                .reasoning(true)
                .nonCanonical(nonCanonical)
                .seed(11)
                .build();
        node = new Node(options, setup, between);
    }

    /** A proof that ids are taken takes none of the answers. */
    private synchronized Answer next(JsonNode request) {
        return request.path("messages").path(0).path("content").asText("").equals("Hello.")
                ? Answer.text("Hello.")
                : answers.isEmpty() ? Answer.text("I have nothing more to say.") : answers.poll();
    }

    synchronized Conversation says(Answer... more) {
        answers.addAll(List.of(more));
        return this;
    }

    static ArrayNode history(String... texts) {
        var history = JsonNodeFactory.instance.arrayNode();
        for (var text : texts) {
            history.addObject().put("role", "user").put("content", text);
        }
        return history;
    }

    static ObjectNode user(String text) {
        return JsonNodeFactory.instance.objectNode().put("role", "user").put("content", text);
    }

    /** One turn: the answer's message, as the agent got it. The history stays as it is. */
    ObjectNode ask(ArrayNode history) throws IOException {
        return ask(history, _ -> {});
    }

    ObjectNode ask(ArrayNode history, Consumer<ObjectNode> change) throws IOException {
        var body = JsonNodeFactory.instance.objectNode().put("model", "any");
        body.set("messages", history.deepCopy());
        habit.accept(body);
        change.accept(body);
        return (ObjectNode)
                node.answer("/v1/chat/completions", Bodies.text(body)).at("/choices/0/message");
    }

    /** One turn, after which the history has the answer and the results of its calls. */
    ObjectNode turn(ArrayNode history) throws IOException {
        var answer = ask(history);
        history.add(answer);
        results(history, answer);
        return answer;
    }

    static void results(ArrayNode history, JsonNode answer) {
        for (var call : answer.path("tool_calls")) {
            history.addObject()
                    .put("role", "tool")
                    .put("tool_call_id", call.path("id").textValue())
                    .put("content", "sun");
        }
    }

    CompletionEntry entry(int index) {
        return node.recorder.entries.get(index);
    }

    CompletionEntry last() {
        return node.recorder.entries.getLast();
    }

    /** What the engine makes of the last request's messages by itself. */
    int[] rendering() throws IOException {
        return rendering(last());
    }

    int[] rendering(CompletionEntry entry) throws IOException {
        var body = JsonNodeFactory.instance.objectNode();
        for (var key : List.of("model", "messages", "tools", "tool_choice", "chat_template_kwargs")) {
            if (entry.request().has(key)) {
                body.set(key, entry.request().get(key));
            }
        }
        var path = engine == SimEngine.VLLM ? "/tokenize" : "/v1/tokenize";
        try {
            var response = http.send(
                    HttpRequest.newBuilder(URI.create(node.sim.url() + path))
                            .header("Content-Type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofByteArray(JsonTree.write(body)))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            var ids = JsonTree.read(response.body()).path("tokens");
            return IntStream.range(0, ids.size())
                    .map(i -> ids.get(i).intValue())
                    .toArray();
        } catch (InterruptedException stopped) {
            throw new IOException(stopped);
        }
    }

    private static String said(CompletionEntry entry, String key) {
        return entry.metadata().path(key).textValue();
    }

    /** What the model was given last, and what stands in the record, is the same. */
    private void assertRecorded() {
        assertThat(last().promptIds())
                .as("what the model was given")
                .isEqualTo(node.sim.generations().getLast().promptIds());
    }

    /** The last turn goes on from the {@code index}th answer: by the record, by the ids that the model was given, and by the text that they stand for. */
    void assertContinues(int index, String made, String text) throws IOException {
        assertRecorded();
        var before = entry(index);
        assertThat(said(last(), "continuation"))
                .as(String.valueOf(last().metadata()))
                .isEqualTo(made);
        assertThat(said(last(), "continuation_of")).isEqualTo(before.id());
        assertThat(said(last(), "continuation_text")).isEqualTo(text);
        var known = IntStream.concat(Arrays.stream(before.promptIds()), Arrays.stream(before.sampledIds()))
                .toArray();
        assertThat(Arrays.copyOf(last().promptIds(), known.length))
                .as("starts with all that was asked and sampled before")
                .isEqualTo(known);
        if (!text.equals("reasoning_dropped")) {
            assertThat(dense(TOKENIZER.decode(last().promptIds())))
                    .as("the text is that of the plain rendering")
                    .isEqualTo(dense(TOKENIZER.decode(rendering())));
        }
    }

    private static String dense(String text) {
        return text.replaceAll("[\\s\uFFFD]", "");
    }

    void assertSpliced(int index, String text) throws IOException {
        assertContinues(index, "spliced", text);
    }

    /** The last turn was asked plainly. */
    void assertPlain(String reason) throws IOException {
        assertRecorded();
        assertThat(said(last(), "continuation"))
                .as(String.valueOf(last().metadata()))
                .isEqualTo("none");
        assertThat(said(last(), "continuation_reason")).isEqualTo(reason);
        assertThat(last().metadata().has("continuation_of")).isFalse();
        assertThat(last().promptIds()).isEqualTo(rendering());
    }

    void assertFirst() throws IOException {
        assertRecorded();
        assertThat(said(last(), "continuation")).isEqualTo("first");
        assertThat(last().promptIds()).isEqualTo(rendering());
    }

    @Override
    public void close() {
        http.close();
        node.close();
    }
}
