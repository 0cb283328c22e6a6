package dev.polar.inference;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.polar.spi.EngineProfile.LaunchSetting;
import dev.polar.spi.EngineProfile.TokenizerEndpoints;
import java.util.ArrayList;
import java.util.List;

/**
 * What the copies of an engine were found to do when they were asked, for people who set a node up.
 *
 * @param copies those that are asked; empty where a router names none
 * @param streams null where their streams can be proved whole, so that {@code streaming: native} holds; else why not
 */
public record EngineReport(List<Copy> copies, String streams) {
    /** Where engines tell their version. */
    private static final List<LaunchSetting> VERSIONS =
            List.of(new LaunchSetting("/version", "/version", ""), new LaunchSetting("/server_info", "/version", ""));

    private static final String PROBE = "Hello.";

    public EngineReport {
        copies = List.copyOf(copies);
    }

    /**
     * One copy.
     *
     * @param version as it says; empty where it does not
     * @param models that it serves
     * @param ids whether it generates from ids
     * @param texts null where it gives the text of ids back; else why not
     */
    public record Copy(String url, String version, List<Model> models, IdVerdict ids, String texts) {
        public Copy {
            models = List.copyOf(models);
        }
    }

    /**
     * A model, or an adapter of one.
     *
     * @param window its context in tokens; 0 where the engine does not say
     * @param owner what the engine calls itself; empty where it does not say
     */
    public record Model(String name, int window, String owner) {
        @Override
        public String toString() {
            return window > 0 ? name + " (" + window + " tokens)" : name;
        }
    }

    /** Asks each copy; a copy that does not answer a question is told as one that cannot. */
    static EngineReport of(InferenceClient client, EngineLink link) {
        var copies = client.idBackends().stream()
                .map(backend -> new Copy(
                        backend.url(),
                        version(link, backend.url()),
                        models(link, backend.url()),
                        backend.verdict(),
                        texts(link, backend.url())))
                .toList();
        return new EngineReport(copies, client.streamsUnproved());
    }

    private static String version(EngineLink link, String base) {
        for (var place : VERSIONS) {
            try {
                var version = link.json("GET", base, place.path(), null)
                        .at(place.pointer())
                        .asText("");
                if (!version.isEmpty()) {
                    return version;
                }
            } catch (EngineException elsewhere) {
                // the next place may tell
            }
        }
        return "";
    }

    /** What a copy says that it serves; empty where it does not say. */
    static List<Model> models(EngineLink link, String base) {
        var models = new ArrayList<Model>();
        try {
            for (var model : link.json("GET", base, "/v1/models", null).path("data")) {
                models.add(new Model(
                        model.path("id").asText(""),
                        model.path("max_model_len").asInt(0),
                        model.path("owned_by").asText("")));
            }
        } catch (EngineException silent) {
            // none are known
        }
        return models;
    }

    /** Ids of a text, and their text. */
    private static String texts(EngineLink link, String base) {
        var endpoints = link.profile().tokenizer().orElse(null);
        if (endpoints == null) {
            return "its plugin declares no tokenizer";
        }
        try {
            var asked = JsonNodeFactory.instance.objectNode().put("prompt", PROBE);
            var ids = link.json("POST", base, endpoints.tokenizePath(), JsonTree.write(asked))
                    .path("tokens");
            var text = text(link, base, endpoints, ids);
            return text.contains(PROBE)
                    ? null
                    : endpoints.detokenizePath() + " answered \"" + text + "\" for the ids of \"" + PROBE + "\"";
        } catch (EngineException refused) {
            return refused.getMessage();
        }
    }

    private static String text(EngineLink link, String base, TokenizerEndpoints endpoints, JsonNode ids) {
        var asked = JsonNodeFactory.instance.objectNode();
        asked.set("tokens", ids);
        return link.json("POST", base, endpoints.detokenizePath(), JsonTree.write(asked))
                .at(endpoints.detokenizedText())
                .asText("");
    }
}
