package dev.polar.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.wire.Json;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A session written by hand, the record and what must become of it, as their JSON: to be changed by a test. Its end of a turn is 9, its log-probabilities are the simulator's. */
final class MadeSession {
    final ObjectNode result = Json.MAPPER.createObjectNode();
    final ObjectNode completions = Json.MAPPER.createObjectNode();
    private final ArrayNode records = completions.putArray("completions");
    private final ObjectNode trajectory = result.put("status", "COMPLETED").putObject("trajectory");
    private final ArrayNode traces = trajectory.putArray("traces");
    private final ObjectNode metadata = trajectory.putObject("metadata");
    private final ArrayNode excluded = metadata.putArray("excluded_completions");

    /** A span; {@code given} stands before it, and {@code says} are the keys that it has beside its place. */
    record Span(String id, int[] given, Map<String, String> says) {}

    MadeSession(String builder, String merge) {
        metadata.put("builder", builder);
        metadata.putObject("builder_config")
                .put("merge", merge)
                .put("include_undelivered", false)
                .put("include_superseded", true)
                .put("end_of_turn_token_id", 9)
                .putArray("include_roles")
                .add("main")
                .add("subagent");
    }

    static int[] ids(int... ids) {
        return ids;
    }

    /** One after the other. */
    static int[] joined(int[]... parts) {
        return Stream.of(parts).flatMapToInt(Arrays::stream).toArray();
    }

    /** Adds a call that was answered and delivered, of the main agent; returns its record. */
    ObjectNode call(String id, int[] prompt, int... sampled) {
        int order = records.size() + 1;
        var record = records.addObject().put("completion_id", id);
        record.putObject("metadata")
                .put("sequence", order)
                .put("role", "main")
                .put("delivered", true)
                .putNull("agent")
                .putNull("untrainable")
                .putArray("tails");
        record.putObject("request").putArray("messages").addObject().put("content", "to " + id);
        var response = record.putObject("response");
        response.putObject("usage").put("completion_tokens", sampled.length);
        var choice = response.putArray("choices").addObject().put("finish_reason", "stop");
        choice.putObject("message").put("role", "assistant").put("content", "of " + id);
        add(choice.putArray("input_token_ids"), prompt);
        add(choice.putArray("token_ids"), sampled);
        var content = choice.putObject("logprobs").putArray("content");
        for (var logprob : SimulatedLogprobs.of(prompt, sampled)) {
            content.addObject().put("logprob", logprob);
        }
        return record;
    }

    private static void add(ArrayNode list, int... ids) {
        Arrays.stream(ids).forEach(list::add);
    }

    ObjectNode record(String id) {
        for (var record : records) {
            if (record.path("completion_id").asText().equals(id)) {
                return (ObjectNode) record;
            }
        }
        throw new AssertionError("no call " + id);
    }

    ObjectNode choice(String id) {
        return (ObjectNode) record(id).at("/response/choices/0");
    }

    ObjectNode ofRecord(String id) {
        return (ObjectNode) record(id).path("metadata");
    }

    /** Lets a call's message show a picture. */
    void picture(String id, int position, String digest) {
        ofRecord(id).withArray("images").addObject().put("position", position).put("digest", digest);
        var message = (ObjectNode) record(id).at("/request/messages/0");
        message.putArray("content").addObject().put("type", "image_url").putObject("image_url");
    }

    void left(String id, String reason) {
        excluded.addObject().put("completion_id", id).put("reason", reason);
    }

    /** The first span of a trace, which says why it starts. */
    static Span first(String id, String why) {
        return new Span(id, new int[0], Map.of("tail", "first", "break", why));
    }

    static Span next(String id, String parent, String tail, int... given) {
        return new Span(id, given, Map.of("tail", tail, "parent", parent));
    }

    /** The same span, which says one thing more. */
    static Span saying(Span span, String key, String value) {
        var says = new LinkedHashMap<>(span.says);
        says.put(key, value);
        return new Span(span.id, span.given, says);
    }

    /** Adds a trace of these spans; returns its metadata. */
    ObjectNode trace(Span... spans) {
        var trace = traces.addObject();
        var first = record(spans[0].id);
        trace.set("prompt_ids", choice(spans[0].id).path("input_token_ids").deepCopy());
        var response = trace.putArray("response_ids");
        var mask = trace.putArray("loss_mask");
        var logprobs = trace.putArray("response_logprobs");
        trace.set("prompt_messages", first.at("/request/messages").deepCopy());
        var messages = trace.putArray("response_messages");
        trace.put("finish_reason", "stop").put("reward", 1.0);
        var said = trace.putObject("metadata");
        said.putObject("training_filter")
                .put("masked", false)
                .put("trainable", true)
                .putNull("reason");
        var described = said.putArray("completion_metadata");
        var listed = said.putArray("spans");
        for (var span : spans) {
            add(response, span.given);
            for (int i = 0; i < span.given.length; i++) {
                mask.add(0);
                logprobs.add(0.0);
            }
            if (span != spans[0]) {
                messages.addObject().put("content", "before " + span.id);
            }
            var choice = choice(span.id);
            messages.add(choice.path("message").deepCopy());
            described.addObject().put("completion_id", span.id);
            var json = listed.addObject().put("completion_id", span.id).put("start", response.size());
            choice.path("token_ids").forEach(id -> {
                response.add(id.asInt());
                mask.add(1);
            });
            choice.at("/logprobs/content")
                    .forEach(entry -> logprobs.add(entry.path("logprob").deepCopy()));
            json.put("end", response.size())
                    .put("role", ofRecord(span.id).path("role").asText());
            span.says.forEach(json::put);
            if (ofRecord(span.id).hasNonNull("agent")) {
                json.set("agent", ofRecord(span.id).get("agent"));
            }
        }
        return said;
    }

    /** Counts what it was made of; to be called once it is whole. */
    MadeSession counted() {
        metadata.put("record_count", records.size()).put("trace_count", traces.size());
        var stats = metadata.putObject("reconstruction_stats");
        int merged = records.size() - excluded.size();
        stats.put("raw_completions_total", records.size());
        List.of("completions_total", "completions_merged").forEach(name -> stats.put(name, merged));
        List.of("chains_total", "trace_count", "chains_reconstructed_full")
                .forEach(name -> stats.put(name, traces.size()));
        stats.put("chains_reconstructed_truncated", 0).put("failed_calls", 0);
        List.of("undelivered", "auxiliary", "untrainable", "empty", "superseded")
                .forEach(why -> stats.put("completions_" + why, 0));
        List.of("exact", "retokenized", "rewritten").forEach(tail -> stats.put("tails_" + tail, 0));
        var breaks = stats.putObject("breaks");
        for (var why : excluded.findValuesAsText("reason")) {
            var kind = why.startsWith("role:") ? "auxiliary" : why.replaceFirst(":.*", "");
            add(stats, "completions_" + kind);
        }
        for (var span : spans()) {
            if (span.path("tail").asText().equals("first")) {
                add(breaks, span.path("break").asText());
            } else {
                add(stats, "tails_" + span.path("tail").asText());
            }
        }
        return this;
    }

    private static void add(ObjectNode counts, String name) {
        counts.put(name, counts.path(name).asInt() + 1);
    }

    private List<JsonNode> spans() {
        return traces.findValues("spans").stream()
                .flatMap(spans -> spans.valueStream())
                .toList();
    }

    ObjectNode span(String id) {
        return (ObjectNode) spans().stream()
                .filter(span -> span.path("completion_id").asText().equals(id))
                .findFirst()
                .orElseThrow();
    }

    ObjectNode metadata() {
        return metadata;
    }

    ObjectNode stats() {
        return (ObjectNode) metadata.path("reconstruction_stats");
    }

    ObjectNode trace(int index) {
        return (ObjectNode) traces.get(index);
    }

    ArrayNode traces() {
        return traces;
    }

    ArrayNode of(int trace, String key) {
        return (ArrayNode) traces.get(trace).path(key);
    }

    ObjectNode filter(int trace) {
        return (ObjectNode) traces.get(trace).at("/metadata/training_filter");
    }

    List<String> problems() {
        return TraceCheck.problems(result, completions, true);
    }
}
