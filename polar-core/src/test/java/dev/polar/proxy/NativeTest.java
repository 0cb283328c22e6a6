package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.polar.capture.CompletionEntry;
import dev.polar.capture.Untrainable;
import dev.polar.proxy.Told.Api;
import dev.polar.sim.Answer;
import dev.polar.sim.Policy;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimOptions;
import dev.polar.topology.NodeConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Answers that are relayed while they are sampled: what an agent makes of them, and what is on record. */
class NativeTest {
    private static final String CALL =
            "<tool_call>\n{\"name\": \"look\", \"arguments\": {\"city\": \"Köln\", \"n\": 1.0}}\n</tool_call>";
    private static final List<String> ANSWERS = List.of(
            "Plain text, some words of it.",
            "<think>I \"think\" 🙂 so.</think>Then I say it: 日本語 🙂.",
            "Let me look.\n" + CALL,
            CALL + "\n" + CALL.replace("Köln", "Bonn"),
            "<think>Hm.</think>" + CALL,
            "<think>Only a thought.</think>",
            "");

    private static Node node(
            SimEngine engine, NodeConfig.Streaming streaming, double nonCanonical, Function<JsonNode, String> model)
            throws IOException {
        Policy policy = (request, random) -> new Policy.Decision(new Answer.Raw(model.apply(request)));
        return new Node(
                SimOptions.builder()
                        .engine(engine)
                        .policy(policy)
                        .reasoning(true)
                        .nonCanonical(nonCanonical)
                        .seed(7)
                        .build(),
                Node.Setup.DEFAULT.streaming(streaming));
    }

    static List<Arguments> talks() {
        var talks = new ArrayList<Arguments>();
        for (var engine : SimEngine.values()) {
            for (var api : Api.values()) {
                ANSWERS.forEach(answer -> talks.add(Arguments.of(engine, api, answer)));
            }
        }
        return talks;
    }

    static List<Arguments> enginesAndApis() {
        var all = new ArrayList<Arguments>();
        for (var engine : SimEngine.values()) {
            for (var api : Api.values()) {
                all.add(Arguments.of(engine, api));
            }
        }
        return all;
    }

    private static ArrayNode history(JsonNode... turns) {
        return JsonNodeFactory.instance.arrayNode().addAll(List.of(turns));
    }

    private static Told ask(Node node, Api api, ArrayNode history) throws IOException {
        var response = node.post(api.path, api.ask(history, true));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return api.read(response.body());
    }

    @ParameterizedTest
    @MethodSource("talks")
    void a_relayed_answer_comes_to_the_same_as_a_whole_one(SimEngine engine, Api api, String answer)
            throws IOException {
        try (var relaying = node(engine, NodeConfig.Streaming.NATIVE, 0.3, _ -> answer);
                var waiting = node(engine, NodeConfig.Streaming.BUFFERED, 0.3, _ -> answer)) {
            var relayed = ask(relaying, api, history(api.user("hi")));
            var whole = ask(waiting, api, history(api.user("hi")));
            assertThat(relaying.upstream().path("stream").booleanValue()).isTrue();
            assertThat(relayed.reasoning()).isEqualTo(whole.reasoning());
            assertThat(told(engine, relayed.text())).isEqualTo(whole.text());
            assertThat(relayed.finish()).isNotNull().isEqualTo(whole.finish());
            assertThat(relayed.calls()).hasSameSizeAs(whole.calls());
            for (int i = 0; i < whole.calls().size(); i++) {
                assertThat(relayed.calls().get(i).name())
                        .isEqualTo(whole.calls().get(i).name());
                assertThat(relayed.calls().get(i).tree())
                        .isEqualTo(whole.calls().get(i).tree());
            }
            same(engine, relaying.recorder.entries.getFirst(), waiting.recorder.entries.getFirst());
            assertThat(relaying.recorder.delivered).hasSize(1);
            if (answer.length() > 50 && api != Api.GOOGLE) {
                assertThat(relayed.pieces()).isGreaterThan(whole.pieces());
            }
        }
    }

    /** SGLang takes the line break before a call out of a whole answer's text, and leaves it in a stream's. */
    private static String told(SimEngine engine, String text) {
        return engine == SimEngine.SGLANG ? text.stripTrailing() : text;
    }

    private static void same(SimEngine engine, CompletionEntry relayed, CompletionEntry whole) {
        assertThat(Untrainable.of(relayed)).isEmpty();
        assertThat(relayed.promptIds()).isEqualTo(whole.promptIds());
        assertThat(relayed.sampledIds()).isEqualTo(whole.sampledIds());
        assertThat(relayed.logprobs()).isEqualTo(whole.logprobs());
        assertThat(relayed.tokenTexts()).isEqualTo(whole.tokenTexts());
        assertThat(relayed.finishReason()).isEqualTo(whole.finishReason());
        assertThat(relayed.answer().path("usage").path("completion_tokens"))
                .isEqualTo(whole.answer().path("usage").path("completion_tokens"));
        assertThat(told(engine, relayed.answer().at("/message/content").asText("")))
                .isEqualTo(whole.answer().at("/message/content").asText(""));
        for (var key : List.of("/message/reasoning", "/message/reasoning_content")) {
            assertThat(relayed.answer().at(key).asText(""))
                    .isEqualTo(whole.answer().at(key).asText(""));
        }
    }

    @ParameterizedTest
    @MethodSource("enginesAndApis")
    void b18_a_talk_of_three_turns_is_one_chain(SimEngine engine, Api api) throws IOException {
        Policy policy = (request, random) -> new Policy.Decision(turn(request));
        try (var node = new Node(
                SimOptions.builder()
                        .engine(engine)
                        .policy(policy)
                        .reasoning(true)
                        .build(),
                Node.Setup.DEFAULT.streaming(NodeConfig.Streaming.NATIVE))) {
            var history = history(api.user("Go."));
            Told told;
            do {
                told = ask(node, api, history);
                history.addAll(api.turn(told));
            } while (!told.calls().isEmpty());
            assertThat(told.text()).isEqualTo("All done.");
            Chains.assertOneChain(node.recorder.entries, 3);
            assertThat(node.recorder.delivered).hasSize(3);
            assertThat(node.recorder.entries)
                    .allSatisfy(entry -> assertThat(Untrainable.of(entry)).isEmpty());
        }
    }

    private static Answer turn(JsonNode request) {
        int turn = 0;
        for (var message : request.path("messages")) {
            turn += message.path("role").textValue().equals("assistant") ? 1 : 0;
        }
        return switch (turn) {
            case 0 -> new Answer.Message("First a \"look\" 🙂.", "Let me look.", List.of(look("Köln")));
            case 1 -> new Answer.Message("Again.", "", List.of(look("Bonn"), look("ü")));
            default -> new Answer.Message("", "All done.", List.of());
        };
    }

    private static Answer.Call look(String city) {
        return new Answer.Call("look", Bodies.tree("{'z':1,'city':'" + city + "','n':1.0}"));
    }
}
