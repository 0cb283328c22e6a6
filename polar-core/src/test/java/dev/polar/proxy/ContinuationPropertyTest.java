package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.proxy.Told.Api;
import dev.polar.sim.Answer;
import dev.polar.sim.Generated;
import dev.polar.sim.Policy;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimOptions;
import dev.polar.topology.NodeConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Agents that talk at random: each prompt that the engine got goes on from the ids of an earlier turn that the agent really repeated, or is the plain rendering, and which of both is certain. */
class ContinuationPropertyTest {
    /** More with {@code -Dpolar.property.cases=10000}. */
    private static final int CASES = Integer.getInteger("polar.property.cases", 64);

    private static final int STEPS = 14;

    private static final List<String> TEXTS = List.of(
            "A plain answer about nothing in particular.",
            "  padded, and with lines\n\nof its own\n",
            "日本語 🙂 fishing",
            "Let me look.",
            "");

    private int spliced;
    private int retokenized;
    private int plain;

    @Test
    void each_prompt_goes_on_exactly_from_a_turn_that_was_repeated_or_is_the_plain_rendering() throws IOException {
        for (int seed = 0; seed < CASES; seed++) {
            talk(seed);
        }
        assertThat(retokenized).as("prompts whose rendering has other ids").isGreaterThan(CASES);
        assertThat(spliced).as("prompts that go on").isGreaterThan(retokenized);
        assertThat(plain).as("prompts of new chains").isGreaterThan(CASES);
    }

    private void talk(long seed) throws IOException {
        var random = new Random(seed);
        var api = Api.values()[random.nextInt(Api.values().length)];
        var engine = SimEngine.values()[random.nextInt(SimEngine.values().length)];
        boolean reasoning = random.nextBoolean();
        var streaming = random.nextBoolean() && (reasoning || engine == SimEngine.VLLM)
                ? NodeConfig.Streaming.NATIVE
                : NodeConfig.Streaming.BUFFERED;
        var options = SimOptions.builder()
                .engine(engine)
                .seed(seed)
                .reasoning(reasoning)
                .nonCanonical(List.of(0.0, 0.1, 0.5, 1.0).get(random.nextInt(4)))
                .policy(policy(reasoning))
                .build();
        try (var node = new Node(options, Node.Setup.DEFAULT.exact().streaming(streaming))) {
            var talk = new RandomTalk(node, api, random);
            for (int step = 0; step < STEPS; step++) {
                talk.step();
            }
            judge("seed " + seed + ", " + api + ", " + engine + ", " + streaming, node, engine, talk.turns());
        }
    }

    private void judge(String where, Node node, SimEngine engine, List<ContinuationOracle.Turn> turns)
            throws IOException {
        var generated = new HashMap<Integer, Generated>();
        // the proof that the engine takes ids has no turn's number
        node.sim.generations().stream()
                .filter(each -> number(each.request()) > 0)
                .forEach(each -> generated.put(number(each.request()), each));
        assertThat(generated.keySet())
                .as(where)
                .containsExactlyInAnyOrderElementsOf(
                        turns.stream().map(ContinuationOracle.Turn::number).toList());
        recorded(where, node, generated);
        var oracle = new ContinuationOracle(node, engine);
        for (var turn : turns) {
            int[] prompt = generated.get(turn.number()).promptIds();
            var allowed = oracle.allowed(turn, turns, generated);
            assertThat(allowed.holds(prompt))
                    .as(
                            "%s, turn %d (on record: %s), which %s: %s\n%s",
                            where,
                            turn.number(),
                            told(node, turn.number()),
                            allowed.continues() ? "goes on from an earlier one" : "is a new chain",
                            turn.meanings(),
                            allowed.difference(prompt))
                    .isTrue();
            spliced += allowed.continues() ? 1 : 0;
            retokenized += Arrays.equals(prompt, allowed.plain()) ? 0 : 1;
            plain += allowed.continues() ? 0 : 1;
        }
    }

    /** What the record says is what the engine got and gave. */
    private static void recorded(String where, Node node, Map<Integer, Generated> generated) {
        assertThat(node.recorder.entries).as(where).hasSameSizeAs(generated.keySet());
        for (var entry : node.recorder.entries) {
            var engines = generated.get(number(entry.request()));
            assertThat(entry.promptIds()).as(where).isEqualTo(engines.promptIds());
            assertThat(entry.sampledIds())
                    .as(where)
                    .isEqualTo(engines.sampledIds().getFirst());
        }
    }

    private static List<String> told(Node node, int number) {
        return node.recorder.entries.stream()
                .filter(entry -> number(entry.request()) == number)
                .map(entry -> entry.metadata().path("continuation").asText() + " "
                        + entry.metadata().path("continuation_reason").asText())
                .toList();
    }

    private static int number(JsonNode request) {
        return (int) Math.round((request.path("temperature").doubleValue() - RandomTalk.BASE) / RandomTalk.STEP);
    }

    private static Policy policy(boolean reasoning) {
        return (request, random) -> new Policy.Decision(answer(request, reasoning, random));
    }

    private static Answer answer(JsonNode request, boolean reasoning, RandomGenerator random) {
        if (random.nextInt(20) == 0) {
            return new Answer.Raw("<tool_call>\n{\"name\": \"look\", \"arguments\": {\"city\": Paris}}\n</tool_call>");
        }
        var calls = new ArrayList<Answer.Call>();
        var tools = request.path("tools");
        for (int i = tools.isEmpty() ? 2 : random.nextInt(3); i < 2; i++) {
            var tool = tools.path(random.nextInt(tools.size())).at("/function/name");
            var arguments = Bodies.tree("{'z':[1,{'y':2,'x':" + random.nextInt(100) + "}],'city':'Köln \\\"old\\\"'}");
            calls.add(new Answer.Call(tool.textValue(), arguments));
        }
        var thought = reasoning && random.nextInt(3) == 0 ? "They want " + random.nextInt(100) + " answers." : "";
        var text = TEXTS.get(random.nextInt(TEXTS.size()));
        return new Answer.Message(thought, text.isEmpty() ? "" : text + " " + random.nextInt(1000) + ".", calls);
    }
}
