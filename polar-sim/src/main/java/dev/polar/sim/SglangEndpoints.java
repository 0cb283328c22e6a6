package dev.polar.sim;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;

/** SGLang's endpoints besides chat. */
final class SglangEndpoints {
    private final SimOptions options;
    private final SglangChecks checks;
    private final Scheduler scheduler;
    private final SimTokenizer tokenizer = SimTokenizer.shared();
    private final long started = Instant.now().getEpochSecond();

    SglangEndpoints(SimOptions options, SglangChecks checks, Scheduler scheduler) {
        this.options = options;
        this.checks = checks;
        this.scheduler = scheduler;
    }

    void addTo(Routes routes) {
        routes.get("/health", call -> call.reply(200))
                .get("/health_generate", call -> call.reply(200))
                .get("/v1/models", call -> call.reply(200, models()))
                .get("/server_info", call -> call.reply(200, serverInfo()))
                .get("/get_server_info", call -> call.reply(200, serverInfo()))
                .get("/model_info", call -> call.reply(200, modelInfo()))
                .get("/get_model_info", call -> call.reply(200, modelInfo()))
                .post("/tokenize", this::tokenize)
                .post("/v1/tokenize", this::tokenize)
                .post("/detokenize", this::detokenize)
                .post("/v1/detokenize", this::detokenize)
                .any("/flush_cache", this::flushCache)
                .post("/pause_generation", this::pause)
                .post("/continue_generation", this::resume)
                .post("/abort_request", this::abort)
                .post("/update_weight_version", this::updateWeightVersion)
                .post("/update_weights_from_disk", this::updateWeights);
    }

    private ObjectNode models() {
        ObjectNode model = Json.object()
                .put("id", options.model())
                .put("object", "model")
                .put("created", started)
                .put("owned_by", "sglang")
                .put("root", options.model())
                .putNull("parent")
                .put("max_model_len", options.contextLength());
        return Json.object().put("object", "list").set("data", Json.array().add(model));
    }

    private ObjectNode serverInfo() {
        ObjectNode info = Json.object()
                .put("model_path", options.model())
                .put("served_model_name", options.model())
                .put("context_length", options.contextLength())
                .put("tool_call_parser", options.toolParser() ? "hermes" : null)
                .put("reasoning_parser", options.reasoning() ? "qwen3" : null)
                .put("weight_version", scheduler.weightVersion());
        info.putArray("internal_states").addObject().put("weight_version", scheduler.weightVersion());
        return info.put("version", "0.5.23");
    }

    private ObjectNode modelInfo() {
        return Json.object()
                .put("model_path", options.model())
                .put("tokenizer_path", options.model())
                .put("is_generation", true)
                .putNull("preferred_sampling_params")
                .put("weight_version", scheduler.weightVersion());
    }

    private void tokenize(Call call) throws IOException {
        JsonNode body = SglangChecks.json(call);
        checks.model(body);
        JsonNode prompt = body.path("prompt");
        ObjectNode answer = Json.object();
        if (prompt.isArray()) {
            ArrayNode tokens = answer.putArray("tokens");
            ArrayNode counts = answer.putArray("count");
            for (JsonNode text : prompt) {
                int[] ids = tokenizer.encode(text.asText());
                tokens.add(Json.ids(ids));
                counts.add(ids.length);
            }
        } else {
            int[] ids = tokenizer.encode(
                    body.has("messages") ? SglangDialect.render(new ChatRequest(body)) : prompt.asText(""));
            answer.<ObjectNode>set("tokens", Json.ids(ids)).put("count", ids.length);
        }
        call.reply(200, answer.put("max_model_len", options.contextLength()));
    }

    private void detokenize(Call call) throws IOException {
        JsonNode body = SglangChecks.json(call);
        JsonNode tokens = body.path("tokens");
        boolean skipsSpecial = body.path("skip_special_tokens").asBoolean(true);
        if (tokens.path(0).isArray()) {
            ArrayNode texts = Json.array();
            tokens.forEach(line -> texts.add(text(line, skipsSpecial)));
            call.reply(200, Json.object().set("text", texts));
        } else {
            call.reply(200, Json.object().put("text", text(tokens, skipsSpecial)));
        }
    }

    private String text(JsonNode tokens, boolean skipsSpecial) {
        IntStream ids = StreamSupport.stream(tokens.spliterator(), false).mapToInt(JsonNode::intValue);
        return tokenizer.decode(
                ids.filter(id -> !skipsSpecial || !tokenizer.isSpecial(id)).toArray());
    }

    private void flushCache(Call call) throws IOException {
        boolean busy = scheduler.running() > 0 || scheduler.waiting() > 0;
        String text = busy
                ? "Flush cache failed: requests are running or waiting.\n"
                : "Cache flushed.\nPlease check backend logs for more details.\n";
        call.reply(busy ? 400 : 200, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
    }

    private void pause(Call call) throws IOException {
        switch (call.jsonOrEmpty().path("mode").asText("abort")) {
            case "abort" -> scheduler.pauseAborting();
            case "retract", "in_place" -> scheduler.pauseKeeping();
            default -> throw new ApiError(400, "Bad Request", null, "mode must be abort, retract or in_place");
        }
        call.reply(
                200,
                Json.object().put("message", "Generation paused successfully.").put("status", "ok"));
    }

    private void resume(Call call) throws IOException {
        scheduler.resume();
        call.reply(
                200,
                Json.object()
                        .put("message", "Generation continued successfully.")
                        .put("status", "ok"));
    }

    private void abort(Call call) throws IOException {
        JsonNode body = call.jsonOrEmpty();
        String id = body.path("rid").asText("");
        boolean all = body.path("abort_all").asBoolean(false);
        scheduler.abort(run -> all || run.id().equals(id), Scheduler.Stop.AT_ONCE);
        call.reply(200);
    }

    private void updateWeightVersion(Call call) throws IOException {
        JsonNode body = call.jsonOrEmpty();
        String version = body.path("new_version").asText("");
        if (body.path("abort_all_requests").asBoolean(true)) {
            scheduler.abort(run -> true, Scheduler.Stop.AT_ONCE);
        }
        scheduler.weightVersion(version);
        call.reply(
                200,
                Json.object()
                        .put("success", true)
                        .put("message", "Weight version updated to " + version)
                        .put("new_version", version));
    }

    private void updateWeights(Call call) throws IOException {
        JsonNode body = call.jsonOrEmpty();
        if (body.path("abort_all_requests").asBoolean(false)) {
            scheduler.abort(run -> true, Scheduler.Stop.AT_ONCE);
        }
        if (body.path("weight_version").isTextual()) {
            scheduler.weightVersion(body.path("weight_version").textValue());
        }
        call.reply(
                200,
                Json.object()
                        .put("success", true)
                        .put("message", "Succeeded to update model weights.")
                        .put("num_paused_requests", 0));
    }
}
