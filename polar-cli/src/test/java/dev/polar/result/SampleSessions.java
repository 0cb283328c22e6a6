package dev.polar.result;

import dev.polar.spi.SessionResult;
import dev.polar.spi.SessionStatus;
import dev.polar.spi.Timing;
import dev.polar.spi.Trace;
import dev.polar.spi.Trajectory;
import dev.polar.wire.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Results as this server writes them, of sessions that tests think up. Ids and log-probabilities are random, from a seed. */
public final class SampleSessions {
    /** A one-pixel picture. */
    public static final String PICTURE = "data:image/png;base64,"
            + "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

    private final Random random = new Random(7);

    /** A chain that calls a tool in all turns but the last. */
    public Trace chain(int turns, String role, String agent, String reason, Integer parent) {
        return chain(turns, role, agent, reason, parent, user("count to " + turns));
    }

    /** As above, with another question. */
    public Trace chain(
            int turns, String role, String agent, String reason, Integer parent, Map<String, Object> question) {
        var prompt = ids(20);
        var response = new ArrayList<Integer>();
        var mask = new ArrayList<Integer>();
        var logprobs = new ArrayList<Double>();
        var messages = new ArrayList<Map<String, Object>>();
        var spans = new ArrayList<Map<String, Object>>();
        var completions = new ArrayList<Map<String, Object>>();
        for (int turn = 0; turn < turns; turn++) {
            if (turn > 0) {
                messages.add(Map.of("role", "tool", "tool_call_id", "call-" + (turn - 1), "content", "result " + turn));
                add(response, mask, logprobs, 5, false);
            }
            int start = response.size();
            add(response, mask, logprobs, 8 + turn, true);
            messages.add(answer(turn, turn == turns - 1));
            spans.add(span(start, response.size(), turn, role, agent, reason));
            completions.add(Map.of("completion_id", "c" + turn, "continuation", turn == 0 ? "first" : "spliced"));
        }
        var metadata = new LinkedHashMap<String, Object>();
        metadata.put("completion_metadata", completions);
        metadata.put("spans", spans);
        if (parent != null) {
            metadata.put("parent_trace", parent);
            metadata.put("shared_prefix_tokens", 12);
        }
        return new Trace(
                prompt,
                response.stream().mapToInt(id -> id).toArray(),
                mask.stream().mapToInt(bit -> bit).toArray(),
                List.of(Map.of("role", "system", "content", "be brief"), question),
                messages,
                List.of(Map.of(
                        "type",
                        "function",
                        "function",
                        Map.of("name", "look", "description", "looks", "parameters", Map.of("type", "object")))),
                "stop",
                logprobs.stream().mapToDouble(value -> value).toArray(),
                1.0,
                metadata);
    }

    public static Map<String, Object> user(Object content) {
        return Map.of("role", "user", "content", content);
    }

    /** A question with a picture in it. */
    public static Map<String, Object> picture() {
        return user(List.of(
                Map.of("type", "text", "text", "how many?"),
                Map.of("type", "image_url", "image_url", Map.of("url", PICTURE))));
    }

    /** The trace as the filter leaves one of a session that failed. */
    public static Trace masked(Trace trace) {
        return trace.withReward(0.0).withLossMask(new int[trace.responseIds().length]);
    }

    /** The trace with another prompt. */
    public static Trace withPrompt(Trace trace, int[] prompt) {
        return new Trace(
                prompt,
                trace.responseIds(),
                trace.lossMask(),
                trace.promptMessages(),
                trace.responseMessages(),
                trace.tools(),
                trace.finishReason(),
                trace.responseLogprobs(),
                trace.reward(),
                trace.metadata());
    }

    private int[] ids(int length) {
        return random.ints(length, 10, 30_000).toArray();
    }

    private void add(List<Integer> response, List<Integer> mask, List<Double> logprobs, int length, boolean sampled) {
        Arrays.stream(ids(length)).forEach(response::add);
        for (int i = 0; i < length; i++) {
            mask.add(sampled ? 1 : 0);
            logprobs.add(sampled ? -random.nextDouble() : 0.0);
        }
    }

    private static Map<String, Object> answer(int turn, boolean last) {
        var message = new LinkedHashMap<String, Object>();
        message.put("role", "assistant");
        message.put("content", last ? "done" : null);
        message.put("reasoning", turn == 0 ? "hm" : null);
        if (!last) {
            message.put(
                    "tool_calls",
                    List.of(Map.of(
                            "id",
                            "call-" + turn,
                            "type",
                            "function",
                            "function",
                            Map.of("name", "look", "arguments", "{\"at\": " + turn + "}"))));
        }
        return message;
    }

    private static Map<String, Object> span(int start, int end, int turn, String role, String agent, String reason) {
        var span = new LinkedHashMap<String, Object>();
        span.put("completion_id", "c" + turn);
        span.put("start", start);
        span.put("end", end);
        span.put("tail", turn == 0 ? "first" : "exact");
        span.put("role", role);
        if (agent != null) {
            span.put("agent", agent);
        }
        span.put("policy_version", "7");
        if (turn == 0) {
            span.put("break", reason);
        }
        return span;
    }

    /** @param breaks as the builder counts them, by reason */
    public static SessionResult session(
            String id, String task, SessionStatus status, Map<String, Integer> breaks, List<Trace> traces) {
        var stats = Map.of("tails_exact", 1, "tails_retokenized", 0, "tails_rewritten", 0, "breaks", breaks);
        var metadata = new LinkedHashMap<String, Object>();
        metadata.put("session_id", id);
        metadata.put("task_id", task);
        metadata.put("harness", "shell");
        metadata.put("model_used", "sim");
        metadata.put("record_count", 5);
        metadata.put("reconstruction_stats", stats);
        metadata.put("excluded_completions", List.of(Map.of("completion_id", "x", "reason", "undelivered")));
        var error = status == SessionStatus.COMPLETED ? null : "the agent failed";
        return new SessionResult(
                id, task, status, new Trajectory(status, metadata, traces, error), Timing.ZERO, "n", error, Map.of());
    }

    /** Five sessions of two tasks: two agents in one, one that failed, one whose agent rewrote a turn, one with a picture, one without traces. */
    public List<SessionResult> all() {
        var first = chain(3, "main", null, "first", null);
        return List.of(
                session(
                        "sk-polar-two",
                        "t1",
                        SessionStatus.COMPLETED,
                        Map.of("first", 1, "role", 1),
                        List.of(first, chain(2, "subagent", "helper", "role", 0))),
                session(
                        "sk-polar-failed",
                        "t1",
                        SessionStatus.ERROR,
                        Map.of("first", 1),
                        List.of(masked(chain(2, "main", null, "first", null)))),
                session(
                        "sk-polar-rewritten",
                        "t2",
                        SessionStatus.COMPLETED,
                        Map.of("first", 1, "rewritten", 1),
                        List.of(
                                chain(1, "main", null, "first", null).withReward(0.25),
                                chain(2, "main", null, "rewritten", 0).withReward(0.25))),
                session(
                        "sk-polar-picture",
                        "t2",
                        SessionStatus.COMPLETED,
                        Map.of("first", 1),
                        List.of(chain(1, "main", null, "first", null, picture()))),
                session("sk-polar-empty", "t2", SessionStatus.ERROR, Map.of(), List.of()));
    }

    /** Writes each into a file, as a server's {@code save_dir} has them. */
    public static Path write(Path folder, List<SessionResult> sessions) throws IOException {
        for (var session : sessions) {
            var of = Files.createDirectories(folder.resolve("task_" + session.taskId()));
            Json.MAPPER.writeValue(
                    of.resolve("ses_" + session.sessionId() + ".json").toFile(), session);
        }
        return folder;
    }
}
