package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.proxy.Told.Api;
import dev.polar.sim.Answer;
import dev.polar.sim.Policy;
import dev.polar.sim.SimOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** An agent cannot tell whether its answer was sampled from ids or from its messages: in each dialect, whole and streamed, with both engines. */
class ContinuationStreamsTest {
    private static final int TURNS = 4;

    /** Made anew for each answer, or counted: what may differ. */
    private static final Set<String> OWN = Set.of(
            "id",
            "created",
            "created_at",
            "completed_at",
            "item_id",
            "call_id",
            "response_id",
            "responseId",
            "usage",
            "usageMetadata",
            "signature",
            "encrypted_content",
            "thoughtSignature",
            "createTime");

    static List<Arguments> ways() {
        var all = new ArrayList<Arguments>();
        for (var way : Way.values()) {
            for (var api : Api.values()) {
                all.add(Arguments.of(way, api));
            }
        }
        return all;
    }

    private static Node node(Way way, boolean exact, double nonCanonical) throws IOException {
        Policy policy = (request, random) -> new Policy.Decision(answer(request));
        var setup = way.setup();
        return new Node(
                SimOptions.builder()
                        .engine(way.engine)
                        .policy(policy)
                        .reasoning(true)
                        .nonCanonical(nonCanonical)
                        .seed(5)
                        .build(),
                exact ? setup.exact() : setup);
    }

    private static Answer answer(JsonNode request) {
        int turn = 0;
        for (var message : request.path("messages")) {
            turn += message.path("role").asText().equals("assistant") ? 1 : 0;
        }
        return turn == TURNS - 1
                ? new Answer.Message("That was all.", "All done, 日本語 🙂.", List.of())
                : new Answer.Message(
                        "I think " + turn + ".",
                        "Let me look.",
                        List.of(
                                new Answer.Call("look", Bodies.tree("{'city':'Köln','n':" + turn + "}")),
                                new Answer.Call("look", Bodies.tree("{'city':'Ulm'}"))));
    }

    /** A whole talk's answers, as they came. */
    private static List<String> talk(Node node, Way way, Api api) throws IOException {
        var bodies = new ArrayList<String>();
        var history = JsonNodeFactory.instance.arrayNode().add(api.user("Go."));
        for (int turn = 0; turn < TURNS; turn++) {
            var streamed = node.post(api.path, api.ask(history, true));
            assertThat(streamed.statusCode()).as(streamed.body()).isEqualTo(200);
            if (way.streamed) {
                bodies.add(streamed.body());
            } else {
                bodies.add(whole(node, api, history));
            }
            history.addAll(api.turn(api.read(streamed.body())));
        }
        return bodies;
    }

    private static String whole(Node node, Api api, ArrayNode history) throws IOException {
        var body = (ObjectNode) Bodies.parsed(api.ask(history, true));
        body.remove("stream");
        var path = api == Api.GOOGLE ? "/v1beta/models/any:generateContent" : api.path;
        var response = node.post(path, Bodies.text(body));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return "data: " + response.body() + "\n\n";
    }

    private static JsonNode scrubbed(JsonNode tree) {
        if (tree instanceof ArrayNode array) {
            var copy = array.arrayNode();
            array.forEach(element -> copy.add(scrubbed(element)));
            return copy;
        }
        if (!(tree instanceof ObjectNode)) {
            return tree;
        }
        var copy = JsonNodeFactory.instance.objectNode();
        tree.properties().forEach(member -> {
            if (!OWN.contains(member.getKey())) {
                copy.set(member.getKey(), scrubbed(member.getValue()));
            }
        });
        return copy;
    }

    @ParameterizedTest
    @MethodSource("ways")
    void with_ids_an_answer_is_the_same_body_as_without(Way way, Api api) throws IOException {
        try (var exact = node(way, true, 0);
                var plain = node(way, false, 0)) {
            var withIds = talk(exact, way, api);
            var without = talk(plain, way, api);
            for (int turn = 0; turn < TURNS; turn++) {
                assertThat(said(way, api, withIds.get(turn))).isEqualTo(said(way, api, without.get(turn)));
            }
            assertExact(exact);
            assertThat(plain.recorder.entries)
                    .allSatisfy(entry -> assertThat(
                                    entry.metadata().path("continuation_reason").textValue())
                            .isEqualTo("plain"));
        }
    }

    /** How a relayed answer is cut into events is a matter of time: what the agent makes of it counts. */
    private static Object said(Way way, Api api, String body) throws IOException {
        if (way == Way.VLLM_NATIVE || way == Way.SGLANG_NATIVE) {
            var told = api.read(body);
            return List.of(
                    told.reasoning(),
                    told.text(),
                    told.calls().stream()
                            .map(call -> call.name() + call.arguments())
                            .toList(),
                    told.finish());
        }
        return Node.events(body).stream().map(ContinuationStreamsTest::scrubbed).toList();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void a_talk_of_unusual_tokens_is_one_chain(Way way, Api api) throws IOException {
        try (var node = node(way, true, 0.5)) {
            talk(node, way, api);
            assertExact(node);
            assertThat(node.recorder.delivered).hasSameSizeAs(node.recorder.entries);
        }
    }

    /** All but first turns and their repetitions go on from ids, the last one from all that was before. */
    private static void assertExact(Node node) {
        var entries = node.recorder.entries;
        assertThat(entries.stream()
                        .map(entry -> entry.metadata().path("continuation").textValue())
                        .filter("spliced"::equals))
                .as(String.valueOf(
                        entries.stream().map(entry -> entry.metadata()).toList()))
                .hasSize(entries.size() - entries.size() / TURNS);
    }
}
