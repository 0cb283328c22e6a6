package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.spi.ApiType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Decodes a generateContent request: contents in {@link GoogleTurns}, tools in {@link GoogleTools}, the rest in {@link GoogleParameters}. For one request. */
final class GoogleDecoder {
    /** Means something to the vendor's cloud alone. */
    private static final Set<String> IGNORED = Set.of("safetySettings", "labels", "store", "serviceTier");

    private static final Set<String> HANDLED = Set.of(
            "model", "contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "cachedContent");

    private final ObjectNode body;
    private final ReasoningSeal seal;
    private final ObjectNode request = JsonNodeFactory.instance.objectNode();
    private final List<String> dropped = new ArrayList<>();

    /** @param seal opens the signatures that this session gave */
    GoogleDecoder(JsonNode body, ReasoningSeal seal) {
        this.body = GoogleFields.of(body, "");
        this.seal = seal;
    }

    /** @param model of the path */
    ChatCall decode(String model, boolean stream) {
        if (!GoogleFields.text(body.path("cachedContent"), "cachedContent").isEmpty()) {
            throw RefusedException.invalid(
                    "cachedContent", "is kept in the vendor's cloud and cannot be read here: send its contents");
        }
        request.set(
                "messages",
                new GoogleTurns(seal, dropped).decode(body.path("systemInstruction"), body.path("contents")));
        var parameters = new GoogleParameters(
                GoogleFields.optional(body.path("generationConfig"), "generationConfig"), request, dropped);
        parameters.decode();
        new GoogleTools(dropped).decode(request, body.path("tools"), body.path("toolConfig"));
        for (var member : body.properties()) {
            var key = member.getKey();
            if (!HANDLED.contains(key)) {
                dropped.add(IGNORED.contains(key) ? key : "unknown_key");
            }
        }
        return new ChatCall(
                ApiType.GOOGLE,
                model,
                stream,
                request,
                parameters.wishes(),
                ChatDecoder.stops(request.path("stop")),
                dropped);
    }
}
