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
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What an agent varies from turn to turn for no reason of meaning leaves the ids of the next prompt's start as they were. */
class PrefixStabilityTest {
    private static final int TURNS = 4;

    static Stream<Arguments> talks() {
        return Arrays.stream(Api.values())
                .flatMap(api -> IntStream.range(0, 6).mapToObj(seed -> Arguments.of(api, (long) seed)));
    }

    private static Answer turn(JsonNode request) {
        int turn = 0;
        for (var message : request.path("messages")) {
            turn += message.path("role").textValue().equals("assistant") ? 1 : 0;
        }
        return turn == TURNS - 1
                ? new Answer.Message("", "All done.", List.of())
                : new Answer.Message(
                        "Think " + turn + ".",
                        "Let me look.",
                        List.of(new Answer.Call(
                                "look",
                                Bodies.tree("{'z':" + turn
                                        + ".0,'city':'Köln','deep':{'b':[1,{'y':2,'x':3}],'a':null}}"))));
    }

    @ParameterizedTest
    @MethodSource("talks")
    void b18_the_next_prompt_starts_with_the_ids_of_all_that_was_before(Api api, long seed) throws IOException {
        Policy policy = (request, random) -> new Policy.Decision(turn(request));
        try (var node =
                new Node(SimOptions.builder().policy(policy).reasoning(true).build())) {
            var agent = new Fickle(api, new Random(seed));
            var history = JsonNodeFactory.instance.arrayNode().add(api.user("Go."));
            for (int turn = 0; turn < TURNS; turn++) {
                var response = node.post(api.path, Bodies.text(agent.say(history)));
                assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
                history.addAll(api.turn(api.read(response.body())));
                if (turn == 1 && api != Api.GOOGLE) {
                    history.addObject().put("role", "system").put("content", "Mind the time.");
                }
            }
            Chains.assertOneChain(node.recorder.entries, TURNS);
            assertThat(node.upstream().path("messages").findValuesAsText("role"))
                    .filteredOn("assistant"::equals)
                    .hasSize(TURNS - 1);
        }
    }

    /** Says the same in other words' clothes each time. */
    private record Fickle(Api api, Random random) {
        ObjectNode say(ArrayNode history) {
            var body = (ObjectNode) Bodies.parsed(api.ask(history.deepCopy(), true));
            describe(body.get("tools"));
            body.set("tools", shuffled(body.get("tools")));
            switch (api) {
                case CHAT -> {
                    ((ArrayNode) body.get("messages"))
                            .insertObject(0)
                            .put("role", random.nextBoolean() ? "system" : "developer")
                            .put("content", "Be brief.");
                    body.path("messages").forEach(message -> {
                        clothe(message, "text");
                        message.path("tool_calls").forEach(call -> respell(call.get("function"), "arguments"));
                    });
                }
                case MESSAGES -> {
                    var system = body.putArray("system");
                    if (random.nextBoolean()) {
                        system.addObject()
                                .put("type", "text")
                                .put(
                                        "text",
                                        "x-anthropic-billing-header: cc_version=2.1; cch=" + random.nextInt() + ";");
                    }
                    cached(system.addObject().put("type", "text").put("text", "Be brief."));
                    body.path("messages").forEach(message -> {
                        if (message.path("role").textValue().equals("user")) {
                            clothe(message, "text");
                        }
                        message.path("content").forEach(block -> {
                            cached((ObjectNode) block);
                            if (block.has("input")) {
                                ((ObjectNode) block).set("input", shuffled(block.get("input")));
                            }
                        });
                    });
                }
                case RESPONSES -> {
                    body.put("instructions", "Be brief.");
                    body.path("input").forEach(item -> {
                        if (item.path("role").asText("").equals("user")) {
                            clothe(item, "input_text");
                        }
                        if (item.path("type").asText("").equals("function_call")) {
                            respell(item, "arguments");
                        }
                    });
                }
                case GOOGLE -> {
                    body.putObject("systemInstruction")
                            .putArray("parts")
                            .addObject()
                            .put("text", "Be brief.");
                    body.path("contents")
                            .forEach(content -> content.path("parts").forEach(part -> {
                                if (part.path("functionCall") instanceof ObjectNode call) {
                                    call.set("args", shuffled(call.get("args")));
                                }
                            }));
                }
            }
            return body;
        }

        /** A longer schema, the same each time. */
        private void describe(JsonNode tools) {
            for (var key : List.of("parameters", "input_schema", "parametersJsonSchema")) {
                var schema = tools.findValue(key);
                if (schema instanceof ObjectNode object) {
                    object.put("description", "what to look at")
                            .putArray("required")
                            .add("city");
                    ((ObjectNode) object.get("properties")).putObject("z").put("type", "number");
                }
            }
        }

        /** Text in a string, or in a list of one block. */
        private void clothe(JsonNode message, String type) {
            if (message.path("content").isTextual() && random.nextBoolean()) {
                var text = message.path("content").textValue();
                ((ObjectNode) message)
                        .putArray("content")
                        .addObject()
                        .put("type", type)
                        .put("text", text);
            }
        }

        private void cached(ObjectNode block) {
            if (random.nextInt(3) == 0) {
                block.putObject("cache_control").put("type", "ephemeral");
            }
        }

        private void respell(JsonNode holder, String key) {
            var arguments = shuffled(Bodies.parsed(holder.path(key).textValue()));
            ((ObjectNode) holder).put(key, random.nextBoolean() ? arguments.toPrettyString() : Bodies.text(arguments));
        }

        /** The same JSON with its keys in another order. */
        private JsonNode shuffled(JsonNode tree) {
            if (tree instanceof ArrayNode array) {
                var copy = JsonNodeFactory.instance.arrayNode();
                array.forEach(element -> copy.add(shuffled(element)));
                return copy;
            }
            if (!(tree instanceof ObjectNode)) {
                return tree;
            }
            var names = new ArrayList<String>();
            tree.fieldNames().forEachRemaining(names::add);
            Collections.shuffle(names, random);
            var copy = JsonNodeFactory.instance.objectNode();
            names.forEach(name -> copy.set(name, shuffled(tree.get(name))));
            return copy;
        }
    }
}
