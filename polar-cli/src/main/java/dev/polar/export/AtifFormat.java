package dev.polar.export;

import static dev.polar.export.Column.json;
import static dev.polar.export.Column.text;

import dev.polar.result.SessionTrace;
import dev.polar.result.Turns;
import dev.polar.result.Turns.Turn;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One trajectory document per trace, in Harbor's Agent Trajectory Interchange Format 1.8 (its RFC 0001): its fields and no others. What it has no field for stands in its {@code extra}s. */
final class AtifFormat implements RowFormat {
    static final String VERSION = "ATIF-v1.8";

    private final ImageForm images;

    AtifFormat(ImageForm images) {
        this.images = images;
    }

    @Override
    public List<Column> columns() {
        return List.of(
                text("schema_version"),
                text("session_id"),
                text("trajectory_id"),
                json("agent"),
                json("steps"),
                json("final_metrics"),
                json("extra"));
    }

    @Override
    public Outcome row(SessionTrace of) {
        if (!of.aligned()) {
            return new LeftOut("unaligned");
        }
        var turns = Turns.of(of);
        if (turns.isEmpty()) {
            return new LeftOut("turns_unclear");
        }
        var steps = new AtifSteps(of, images);
        try {
            steps.addPrompt(turns.get().prompt());
            turns.get().turns().forEach(steps::addTurn);
        } catch (AtifSteps.NoSuchContentException unknown) {
            return new LeftOut("other_content");
        }
        var row = new LinkedHashMap<String, Object>();
        row.put("schema_version", VERSION);
        row.put("session_id", of.session().sessionId());
        row.put("trajectory_id", of.session().sessionId() + "/" + of.index());
        row.put("agent", agent(of));
        row.put("steps", steps.all());
        row.put("final_metrics", finalMetrics(turns.get().turns(), steps.all().size()));
        row.put("extra", extra(of));
        return new Row(row);
    }

    private static Map<String, Object> agent(SessionTrace of) {
        var agent = new LinkedHashMap<String, Object>();
        var metadata = of.session().metadata();
        agent.put(
                "name",
                of.agent() != null ? of.agent() : metadata.path("harness").asText("unknown"));
        agent.put("version", metadata.path("agent_result").path("version").asText("unknown"));
        if (metadata.path("model_used").isTextual()) {
            agent.put("model_name", metadata.path("model_used").textValue());
        }
        if (of.trace().tools() != null) {
            agent.put("tool_definitions", of.trace().tools());
        }
        return agent;
    }

    private static Map<String, Object> finalMetrics(List<Turn> turns, int steps) {
        var metrics = new LinkedHashMap<String, Object>();
        metrics.put(
                "total_completion_tokens",
                turns.stream()
                        .mapToInt(turn -> turn.span().end() - turn.span().start())
                        .sum());
        metrics.put("total_steps", steps);
        return metrics;
    }

    private static Map<String, Object> extra(SessionTrace of) {
        var extra = new LinkedHashMap<String, Object>();
        extra.put("task_id", of.session().taskId());
        extra.put("status", of.session().status());
        extra.put("reward", of.trace().reward());
        extra.put("role", of.role());
        extra.put("finish_reason", of.trace().finishReason());
        for (var key : List.of("training_filter", "parent_trace", "shared_prefix_tokens", "segment_kind")) {
            if (of.trace().metadata().get(key) != null) {
                extra.put(key, of.trace().metadata().get(key));
            }
        }
        return extra;
    }
}
