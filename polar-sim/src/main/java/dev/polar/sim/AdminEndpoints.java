package dev.polar.sim;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** The simulator's own endpoints, under {@code /sim/}: faults on demand, and what was received. */
final class AdminEndpoints {
    private final Faults faults;
    private final Supplier<List<ReceivedRequest>> requests;

    AdminEndpoints(Faults faults, Supplier<List<ReceivedRequest>> requests) {
        this.faults = faults;
        this.requests = requests;
    }

    void addTo(Routes routes) {
        routes.get("/sim/faults", this::pending)
                .post("/sim/faults", this::add)
                .on("DELETE", "/sim/faults", this::clear)
                .get("/sim/requests", this::received);
    }

    private void pending(Call call) throws IOException {
        call.reply(200, Json.object().put("pending", faults.pending()));
    }

    private void add(Call call) throws IOException {
        if (!(call.jsonOrEmpty() instanceof ObjectNode body) || !body.has("kind")) {
            call.reply(400, Json.object().put("detail", "the body must be an object with the key kind"));
            return;
        }
        int count = body.path("count").asInt(1);
        Set<String> keys = new HashSet<>(FaultReader.KEYS);
        keys.add("count");
        try {
            ScenarioReader.known(body, "fault", keys);
            faults.add(FaultReader.read(body.deepCopy().without("count"), "fault"), count);
        } catch (IllegalArgumentException e) {
            call.reply(400, Json.object().put("detail", e.getMessage()));
            return;
        }
        call.reply(200, Json.object().put("pending", faults.pending()));
    }

    private void clear(Call call) throws IOException {
        faults.clear();
        call.reply(200, Json.object().put("pending", 0));
    }

    /** The last {@code n} requests, all that are kept without it. */
    private void received(Call call) throws IOException {
        List<ReceivedRequest> kept = requests.get();
        int wanted = call.query("n").matches("\\d{1,6}") ? Integer.parseInt(call.query("n")) : kept.size();
        ArrayNode array = Json.array();
        for (ReceivedRequest request : kept.subList(Math.max(0, kept.size() - wanted), kept.size())) {
            ObjectNode headers = Json.object();
            request.headers().forEach((name, values) -> headers.put(name, String.join(", ", values)));
            ObjectNode node = array.addObject().put("method", request.method()).put("path", request.path());
            node.set("headers", headers);
            JsonNode body = request.body();
            node.set("body", body.isMissingNode() ? Json.MAPPER.nullNode() : body);
        }
        call.reply(200, Json.object().set("requests", array));
    }
}
