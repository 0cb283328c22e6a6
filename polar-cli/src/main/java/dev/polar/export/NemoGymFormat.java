package dev.polar.export;

import static dev.polar.export.Column.json;
import static dev.polar.export.Column.real;
import static dev.polar.export.Column.text;
import static dev.polar.export.Column.whole;

import dev.polar.result.SessionHead;
import dev.polar.result.SessionTrace;
import dev.polar.result.Turns;
import dev.polar.result.Turns.Turn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Rollouts as NeMo Gym collects them: a request and a response of the Responses API, with ids and log-probabilities on the last item of each answer, and the reward. Its trainers demand that each prompt
 * begins with all ids before it, so a session of which a tail was retokenized or rewritten is refused.
 */
final class NemoGymFormat implements RowFormat {
    private final ImageForm images;
    private final Map<String, Integer> tasks = new HashMap<>();
    private final Map<String, Integer> rollouts = new HashMap<>();

    NemoGymFormat(ImageForm images) {
        this.images = images;
    }

    @Override
    public List<Column> columns() {
        return List.of(
                whole("_ng_task_index"),
                whole("_ng_rollout_index"),
                json("agent_ref"),
                json("responses_create_params"),
                json("response"),
                real("reward"),
                text("task_id"),
                text("session_id"),
                whole("trace"));
    }

    @Override
    public Optional<String> refuses(SessionHead session) {
        return session.inexactTails() > 0 ? Optional.of("tails_not_exact") : Optional.empty();
    }

    @Override
    public Outcome row(SessionTrace of) {
        if (!of.aligned() || of.trace().responseLogprobs() == null) {
            return new LeftOut("unaligned");
        }
        if (of.trace().reward() == null) {
            return new LeftOut("no_reward");
        }
        if (of.trainedTokens() == 0) {
            // There is no mask in these rows: all that was sampled is trained on.
            return new LeftOut("not_trainable");
        }
        if (!of.spans().stream().allMatch(SessionTrace.Span::exact)) {
            return new LeftOut("tails_not_exact");
        }
        var turns = Turns.of(of);
        if (turns.isEmpty()) {
            return new LeftOut("turns_unclear");
        }
        var items = new ResponseItems(images);
        try {
            return new Row(row(of, turns.get(), items));
        } catch (ResponseItems.NoSuchContentException unknown) {
            return new LeftOut("other_content");
        }
    }

    private Map<String, Object> row(SessionTrace of, Turns turns, ResponseItems items) {
        var input = new ArrayList<Map<String, Object>>();
        turns.prompt().forEach(message -> input.addAll(items.of(message)));
        var output = new ArrayList<Map<String, Object>>();
        for (var turn : turns.turns()) {
            output.addAll(answer(of, turn, items));
            turn.given().forEach(message -> output.addAll(items.of(message)));
        }
        var tools = items.tools(of.trace().tools());
        var row = new LinkedHashMap<String, Object>();
        var task = of.session().taskId();
        row.put("_ng_task_index", tasks.computeIfAbsent(task, _ -> tasks.size()));
        row.put("_ng_rollout_index", rollouts.merge(task, 1, Integer::sum) - 1);
        row.put("agent_ref", Map.of("name", of.agent() == null ? "polar" : of.agent()));
        row.put("responses_create_params", params(input, tools));
        row.put("response", response(of, output, tools));
        row.put("reward", of.trace().reward());
        row.put("task_id", task);
        row.put("session_id", of.session().sessionId());
        row.put("trace", of.index());
        return row;
    }

    private static List<Map<String, Object>> answer(SessionTrace of, Turn turn, ResponseItems items) {
        var said = items.of(turn.answer());
        var last = said.getLast();
        var span = turn.span();
        var trace = of.trace();
        last.put("prompt_token_ids", of.ids(trace.promptIds().length + span.start()));
        last.put("generation_token_ids", Arrays.copyOfRange(trace.responseIds(), span.start(), span.end()));
        last.put("generation_log_probs", Arrays.copyOfRange(trace.responseLogprobs(), span.start(), span.end()));
        return said;
    }

    private static Map<String, Object> params(List<Map<String, Object>> input, List<Map<String, Object>> tools) {
        var params = new LinkedHashMap<String, Object>();
        params.put("input", input);
        params.put("tools", tools);
        params.put("parallel_tool_calls", true);
        params.put("tool_choice", "auto");
        return params;
    }

    private static Map<String, Object> response(
            SessionTrace of, List<Map<String, Object>> output, List<Map<String, Object>> tools) {
        var response = new LinkedHashMap<String, Object>();
        response.put("id", "resp_" + of.session().sessionId() + "_" + of.index());
        // A result does not say when its calls were made.
        response.put("created_at", 0);
        response.put("model", of.session().metadata().path("model_used").asText(""));
        response.put("object", "response");
        response.put("output", output);
        response.put("parallel_tool_calls", true);
        response.put("tool_choice", "auto");
        response.put("tools", tools);
        return response;
    }
}
