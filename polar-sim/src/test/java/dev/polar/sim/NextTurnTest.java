package dev.polar.sim;

import static dev.polar.sim.Client.ids;
import static dev.polar.sim.Client.withIds;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Does the next turn's prompt continue the ids that were sampled? Always with canonical tokens, never with tokens that were all cut. */
class NextTurnTest {
    private record Setup(SimEngine engine, String kind) {}

    static List<Setup> setups() {
        return Arrays.stream(SimEngine.values())
                .flatMap(engine ->
                        List.of("text", "call", "text and call", "two calls", "reasoned call", "padded text").stream()
                                .map(kind -> new Setup(engine, kind)))
                .toList();
    }

    private static Answer answer(String kind) {
        ObjectNode arguments = Json.object().put("city", "Zürich \"old\" town").put("days", 1.50);
        Answer.Call call = new Answer.Call("look", arguments);
        return switch (kind) {
            case "call" -> new Answer.Message("", "", List.of(call));
            case "text and call" -> new Answer.Message("", "Let me look.", List.of(call));
            case "two calls" -> new Answer.Message("", "", List.of(call, call));
            case "reasoned call" -> new Answer.Message("They want weather.", "", List.of(call));
            case "padded text" -> Answer.text("\n\n  indented, 日本語 🙂\n");
            default -> Answer.text("A plain answer about nothing in particular, with a few words.");
        };
    }

    /** Prompt and sampled ids of the first turn, and the second turn's prompt. */
    private record Turns(int[] prompt, int[] sampled, int[] next) {
        boolean exact() {
            return startsWith(next, concat(prompt, sampled));
        }
    }

    private static Turns talk(Setup setup, double nonCanonical) throws Exception {
        SimOptions options = SimOptions.builder()
                .engine(setup.engine())
                .reasoning(setup.kind().startsWith("reasoned"))
                .nonCanonical(nonCanonical)
                .policy((request, random) -> new Policy.Decision(answer(setup.kind())))
                .build();
        try (SimServer sim = SimServer.start(options)) {
            Client client = new Client(sim);
            ObjectNode body = withIds(Client.chat("Go on"));
            body.putArray("tools").add(Client.tool("look"));
            JsonNode first = client.ok(body);
            JsonNode message = first.at("/choices/0/message");
            Client.messages(body).add(message);
            for (JsonNode call : message.path("tool_calls")) {
                Client.messages(body)
                        .addObject()
                        .put("role", "tool")
                        .put("tool_call_id", call.get("id").asText())
                        .put("content", "sunny");
            }
            if (!message.has("tool_calls")) {
                Client.messages(body).addObject().put("role", "user").put("content", "And then?");
            }
            JsonNode second = client.ok(body);
            return setup.engine() == SimEngine.VLLM
                    ? new Turns(
                            ids(first.get("prompt_token_ids")),
                            ids(first.at("/choices/0/token_ids")),
                            ids(second.get("prompt_token_ids")))
                    : new Turns(
                            ids(first.at("/choices/0/prompt_token_ids")),
                            ids(first.at("/choices/0/response_token_ids")),
                            ids(second.at("/choices/0/prompt_token_ids")));
        }
    }

    @ParameterizedTest
    @MethodSource("setups")
    void canonical_tokens_are_continued_exactly(Setup setup) throws Exception {
        assertThat(talk(setup, 0).exact()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("setups")
    void cut_tokens_come_back_as_the_same_text_in_other_ids(Setup setup) throws Exception {
        Turns turns = talk(setup, 1);
        SimTokenizer tokenizer = SimTokenizer.shared();
        assertThat(turns.exact()).isFalse();
        assertThat(startsWith(turns.next(), turns.prompt())).isTrue();
        assertThat(tokenizer.decode(turns.next()))
                .startsWith(tokenizer.decode(concat(turns.prompt(), turns.sampled())));
    }

    private static boolean startsWith(int[] ids, int[] prefix) {
        return ids.length >= prefix.length && Arrays.equals(Arrays.copyOf(ids, prefix.length), prefix);
    }

    private static int[] concat(int[] first, int[] second) {
        int[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
