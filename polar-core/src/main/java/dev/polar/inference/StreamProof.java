package dev.polar.inference;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.spi.EngineProfile;
import dev.polar.spi.EngineProfile.LaunchSetting;
import java.util.List;
import java.util.function.BiFunction;

/** Whether an engine's streams tell every id and every log-probability, as far as this shows before there is one. A stream that lacks some nevertheless is found by its lengths, and not trained on. */
final class StreamProof {
    private StreamProof() {}

    /**
     * Null when the streams of all copies can be proved whole; else why not.
     *
     * @param ask gets a copy's base URL and a path; throws {@link EngineException}
     */
    static String problem(
            EngineProfile profile, List<InferenceClient.Replica> copies, BiFunction<String, String, JsonNode> ask) {
        if (profile.chunk().isEmpty()) {
            return "it does not prove that a stream's ids and log-probabilities are whole";
        }
        if (profile.chunkNeeds().isEmpty()) {
            return null;
        }
        var needed = profile.chunkNeeds().get();
        if (copies.isEmpty()) {
            return "its router names no worker yet that could be asked whether it was launched with " + needed.flag();
        }
        for (var copy : copies) {
            var problem = problem(needed, copy.url(), ask);
            if (problem != null) {
                return problem;
            }
        }
        return null;
    }

    private static String problem(LaunchSetting needed, String url, BiFunction<String, String, JsonNode> ask) {
        JsonNode told;
        try {
            told = ask.apply(url, needed.path());
        } catch (EngineException silent) {
            return url + needed.path() + " does not tell whether it was launched with " + needed.flag()
                    + ", without which a stream loses log-probabilities (" + silent.getMessage()
                    + "): have it run before the node starts";
        }
        var setting = told.at(needed.pointer());
        boolean unset = setting.isMissingNode()
                || setting.isNull()
                || setting.isBoolean() && !setting.booleanValue()
                || setting.isTextual() && setting.textValue().isEmpty();
        if (unset) {
            return "the one at " + url + " was launched without " + needed.flag()
                    + ", so that a stream loses log-probabilities: launch it with that";
        }
        return null;
    }
}
