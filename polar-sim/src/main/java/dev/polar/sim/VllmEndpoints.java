package dev.polar.sim;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.StreamSupport;

/** vLLM's endpoints besides chat. */
final class VllmEndpoints {
    private final SimOptions options;
    private final VllmChecks checks;
    private final Scheduler scheduler;
    private final SimTokenizer tokenizer = SimTokenizer.shared();
    private final long started = Instant.now().getEpochSecond();

    VllmEndpoints(SimOptions options, VllmChecks checks, Scheduler scheduler) {
        this.options = options;
        this.checks = checks;
        this.scheduler = scheduler;
    }

    void addTo(Routes routes) {
        routes.get("/health", call -> call.reply(200))
                .any("/ping", call -> call.reply(200))
                .get("/version", call -> call.reply(200, Json.object().put("version", "0.32.0")))
                .get("/load", call -> call.reply(200, Json.object().put("server_load", scheduler.running())))
                .get("/v1/models", call -> call.reply(200, models()))
                .post("/tokenize", call -> call.reply(200, tokenize(VllmChecks.json(call))))
                .post("/detokenize", this::detokenize);
        if (options.controls()) {
            addControls(routes);
        }
    }

    private void addControls(Routes routes) {
        routes.post("/pause", this::pause)
                .post("/resume", call -> {
                    scheduler.resume();
                    call.reply(200, Json.object().put("status", "resumed"));
                })
                .get("/is_paused", call -> call.reply(200, Json.object().put("is_paused", scheduler.isPaused())))
                .post("/abort_requests", this::abort)
                .post(
                        "/reset_prefix_cache",
                        call -> call.reply(200, Json.object().put("success", true)))
                .post("/update_weight_version", this::updateWeightVersion)
                .get(
                        "/weight_info",
                        call -> call.reply(200, Json.object().put("weight_version", scheduler.weightVersion())))
                .get(
                        "/server_info",
                        call -> call.reply(
                                200,
                                Json.object()
                                        .set(
                                                "vllm_config",
                                                Json.object()
                                                        .put("model", options.model())
                                                        .put("max_model_len", options.contextLength()))));
    }

    private ObjectNode models() {
        ObjectNode permission = Json.object()
                .put("id", "modelperm-" + Ids.hex(16))
                .put("object", "model_permission")
                .put("created", started)
                .put("allow_create_engine", false)
                .put("allow_sampling", true)
                .put("allow_logprobs", true)
                .put("allow_search_indices", false)
                .put("allow_view", true)
                .put("allow_fine_tuning", false)
                .put("organization", "*")
                .putNull("group")
                .put("is_blocking", false);
        ObjectNode model = Json.object()
                .put("id", options.model())
                .put("object", "model")
                .put("created", started)
                .put("owned_by", "vllm")
                .put("root", options.model())
                .putNull("parent")
                .put("max_model_len", options.contextLength());
        model.set("permission", Json.array().add(permission));
        return Json.object().put("object", "list").set("data", Json.array().add(model));
    }

    private ObjectNode tokenize(JsonNode body) {
        checks.model(body);
        int[] ids = tokenizer.encode(
                body.has("messages") ? rendered(body) : body.path("prompt").asText(""));
        ObjectNode answer = Json.object().put("count", ids.length).put("max_model_len", options.contextLength());
        answer.set("tokens", Json.ids(ids));
        if (!body.path("return_token_strs").asBoolean(false)) {
            return answer.putNull("token_strs");
        }
        ArrayNode strings = answer.putArray("token_strs");
        for (int id : ids) {
            strings.add(tokenizer.string(id));
        }
        return answer;
    }

    private static String rendered(JsonNode body) {
        return ChatTemplate.render(
                body.path("messages"),
                body.path("tools"),
                body.path("add_generation_prompt").asBoolean(true),
                body.path("continue_final_message").asBoolean(false));
    }

    private void detokenize(Call call) throws IOException {
        JsonNode body = VllmChecks.json(call);
        checks.model(body);
        int[] ids = StreamSupport.stream(body.path("tokens").spliterator(), false)
                .mapToInt(JsonNode::intValue)
                .toArray();
        call.reply(200, Json.object().put("prompt", tokenizer.decode(ids)));
    }

    private void pause(Call call) throws IOException, InterruptedException {
        switch (call.query("mode")) {
            case "", "abort" -> scheduler.pauseAborting();
            case "wait" -> scheduler.pauseWaiting();
            case "keep" -> scheduler.pauseKeeping();
            default ->
                throw new ApiError(
                        400,
                        "Bad Request",
                        "query.mode",
                        "mode must be abort, wait or keep, got " + call.query("mode"));
        }
        call.reply(200, Json.object().put("status", "paused"));
    }

    private void abort(Call call) throws IOException {
        JsonNode named = call.jsonOrEmpty().path("request_ids");
        Set<String> ids = new HashSet<>();
        named.forEach(id -> ids.add(id.asText()));
        int aborted = scheduler.abort(run -> !named.isArray() || ids.contains(run.id()), Scheduler.Stop.AT_ONCE);
        call.reply(200, Json.object().put("status", "aborted").put("aborted", aborted));
    }

    private void updateWeightVersion(Call call) throws IOException {
        String version = call.jsonOrEmpty().path("new_version").asText("");
        scheduler.weightVersion(version);
        call.reply(200, Json.object().put("success", true).put("new_version", version));
    }
}
