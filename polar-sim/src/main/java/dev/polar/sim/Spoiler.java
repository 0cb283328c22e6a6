package dev.polar.sim;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.function.Consumer;

/** Puts a fault into an answer that was right: a whole one, or the chunks of a stream one after the other. Not thread-safe. */
final class Spoiler {
    private static final List<String> ID_KEYS = List.of("token_ids", "response_token_ids", "prompt_token_ids");

    private final Fault.Kind kind;
    private boolean struck;

    Spoiler(Fault.Kind kind) {
        this.kind = kind;
    }

    /** False for a chunk that is to be left out. */
    boolean keeps(ObjectNode chunk) {
        return kind != Fault.Kind.NO_FINISH
                || !chunk.path("object").asText().endsWith("chunk")
                || !chunk.at("/choices/0/finish_reason").isTextual();
    }

    ObjectNode apply(ObjectNode answer) {
        switch (kind) {
            case NAN_LOGPROB -> logprob(answer, JsonNodeFactory.instance.numberNode(Double.NaN));
            case NULL_LOGPROB -> logprob(answer, JsonNodeFactory.instance.nullNode());
            case POSITIVE_LOGPROB -> logprob(answer, JsonNodeFactory.instance.numberNode(0.5));
            case MISSING_LOGPROBS -> eachChoice(answer, choice -> choice.putNull("logprobs"));
            case MISSING_IDS -> withoutIds(answer);
            case SHORT_IDS -> shortIds(answer);
            case WRONG_USAGE -> wrongUsage(answer);
            case NO_FINISH -> eachChoice(answer, choice -> choice.putNull("finish_reason"));
            case NONE, STATUS, CUT, ERROR_CHUNK, SILENCE, PAUSE, ABORT -> {}
        }
        return answer;
    }

    private void logprob(ObjectNode answer, JsonNode value) {
        if (!struck && answer.at("/choices/0/logprobs/content/0") instanceof ObjectNode first) {
            first.set("logprob", value);
            struck = true;
        }
    }

    private static void withoutIds(ObjectNode answer) {
        answer.remove(ID_KEYS);
        answer.remove("sglext");
        eachChoice(answer, choice -> choice.remove(ID_KEYS));
    }

    private void shortIds(ObjectNode answer) {
        for (String pointer :
                List.of("/choices/0/token_ids", "/choices/0/response_token_ids", "/sglext/output_ids/0")) {
            if (!struck && answer.at(pointer) instanceof ArrayNode ids && !ids.isEmpty()) {
                ids.remove(ids.size() - 1);
                struck = true;
            }
        }
    }

    private static void wrongUsage(ObjectNode answer) {
        if (answer.path("usage") instanceof ObjectNode usage) {
            usage.put("completion_tokens", usage.path("completion_tokens").intValue() + 1);
        }
    }

    private static void eachChoice(ObjectNode answer, Consumer<ObjectNode> change) {
        answer.path("choices").forEach(choice -> change.accept((ObjectNode) choice));
    }
}
