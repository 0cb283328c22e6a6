package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.inference.EngineAnswer;

/** Log-probabilities as Google shows them: the engine's numbers under other names. */
final class GoogleLogprobs {
    private GoogleLogprobs() {}

    /** Adds {@code avgLogprobs} and {@code logprobsResult}. */
    static void add(ObjectNode candidate, EngineAnswer answer) {
        var ids = answer.sampledIds();
        var chosen = JsonNodeFactory.instance.arrayNode();
        var top = JsonNodeFactory.instance.arrayNode();
        double sum = 0;
        for (var shown : answer.shown()) {
            var token = token(shown);
            if (ids != null && chosen.size() < ids.length) {
                token.put("tokenId", ids[chosen.size()]);
            }
            sum += shown.path("logprob").asDouble(0);
            chosen.add(token);
            var candidates = top.addObject().putArray("candidates");
            shown.path("top_logprobs").forEach(other -> candidates.add(token(other)));
        }
        if (chosen.isEmpty() || !Double.isFinite(sum)) {
            return;
        }
        candidate.put("avgLogprobs", sum / chosen.size());
        var result = candidate.putObject("logprobsResult").put("logProbabilitySum", sum);
        result.set("chosenCandidates", chosen);
        result.set("topCandidates", top);
    }

    private static ObjectNode token(JsonNode shown) {
        var token = JsonNodeFactory.instance
                .objectNode()
                .put("token", shown.path("token").asText(""));
        if (shown.path("logprob").isNumber()) {
            token.set("logProbability", shown.get("logprob"));
        }
        return token;
    }
}
