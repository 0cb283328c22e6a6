package dev.polar.export;

import static dev.polar.export.Column.REALS;
import static dev.polar.export.Column.WHOLES;
import static dev.polar.export.Column.json;
import static dev.polar.export.Column.list;
import static dev.polar.export.Column.real;
import static dev.polar.export.Column.text;
import static dev.polar.export.Column.whole;

import dev.polar.export.Column.Scalar;
import dev.polar.result.ChatMessage;
import dev.polar.result.SessionTrace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What {@code Sample.to_dict} of Slime gives ({@code slime/utils/types.py}). Samples of one task are one group; {@code index} counts the rows. */
final class SlimeFormat implements RowFormat {
    private final ImageForm images;
    private final Map<String, Integer> groups = new HashMap<>();
    private int rows;

    SlimeFormat(ImageForm images) {
        this.images = images;
    }

    @Override
    public List<Column> columns() {
        return List.of(
                whole("group_index"),
                whole("index"),
                json("prompt"),
                new Column("tokens", WHOLES),
                json("multimodal_inputs"),
                text("response"),
                whole("response_length"),
                text("label"),
                real("reward"),
                new Column("loss_mask", WHOLES),
                list("weight_versions", Scalar.TEXT),
                new Column("rollout_log_probs", REALS),
                new Column("remove_sample", Scalar.FLAG),
                text("status"),
                json("metadata"),
                text("session_id"),
                json("spec_info"),
                json("prefix_cache_info"));
    }

    @Override
    public Outcome row(SessionTrace of) {
        if (!of.aligned()) {
            return new LeftOut("unaligned");
        }
        var trace = of.trace();
        var row = new LinkedHashMap<String, Object>();
        row.put("group_index", groups.computeIfAbsent(of.session().taskId(), _ -> groups.size()));
        row.put("index", rows++);
        row.put("prompt", prompt(of));
        row.put("tokens", of.ids(of.length()));
        row.put("multimodal_inputs", multimodal(of));
        row.put("response", response(of));
        row.put("response_length", trace.responseIds().length);
        row.put("label", null);
        row.put("reward", trace.reward());
        row.put("loss_mask", trace.lossMask());
        row.put("weight_versions", versions(of));
        row.put("rollout_log_probs", trace.responseLogprobs());
        row.put("remove_sample", of.trainedTokens() == 0);
        row.put("status", status(of));
        row.put("metadata", metadata(of));
        row.put("session_id", of.session().sessionId());
        row.put(
                "spec_info",
                counts("spec_accept_token_num", "spec_draft_token_num", "spec_verify_ct", "completion_token_num"));
        row.put("prefix_cache_info", counts("cached_tokens", "total_prompt_tokens"));
        return new Row(row);
    }

    private static Map<String, Object> counts(String... names) {
        var counts = new LinkedHashMap<String, Object>();
        for (var name : names) {
            counts.put(name, 0);
        }
        return counts;
    }

    /** The first prompt's messages; a picture in them is what the user asked for. */
    private List<Map<String, Object>> prompt(SessionTrace of) {
        return of.trace().promptMessages().stream()
                .map(message -> {
                    var copy = new LinkedHashMap<>(message);
                    if (copy.get("content") instanceof List<?> parts) {
                        copy.put("content", parts.stream().map(this::part).toList());
                    }
                    return (Map<String, Object>) copy;
                })
                .toList();
    }

    private Object part(Object part) {
        return part instanceof Map<?, ?> said
                        && said.get("image_url") instanceof Map<?, ?> url
                        && url.get("url") instanceof String address
                ? Map.of(
                        "type",
                        "image_url",
                        "image_url",
                        Map.of("url", images.address(new ChatMessage.Part.Image(address))))
                : part;
    }

    /** Pictures of the whole trace, in order; null where there is none. */
    private Map<String, Object> multimodal(SessionTrace of) {
        var found = new ArrayList<String>();
        for (var message : of.messages()) {
            ChatMessage.of(message).images().forEach(image -> found.add(images.address(image)));
        }
        return found.isEmpty() ? null : Map.of("images", found);
    }

    /** What the model said, one answer after the other. */
    private static String response(SessionTrace of) {
        var said = new StringBuilder();
        of.trace().responseMessages().stream()
                .map(ChatMessage::of)
                .filter(ChatMessage::isAssistant)
                .map(ChatMessage::text)
                .filter(Objects::nonNull)
                .forEach(said::append);
        return said.toString();
    }

    private static List<String> versions(SessionTrace of) {
        return of.spans().stream()
                .map(span -> span.said().path("policy_version"))
                .filter(version -> !version.isMissingNode() && !version.isNull())
                .map(version -> version.asText())
                .toList();
    }

    private static String status(SessionTrace of) {
        return switch (of.session().status()) {
            case "COMPLETED" -> "length".equals(of.trace().finishReason()) ? "truncated" : "completed";
            case "TIMEOUT" -> "aborted";
            default -> "failed";
        };
    }

    private static Map<String, Object> metadata(SessionTrace of) {
        var metadata = new LinkedHashMap<String, Object>();
        metadata.put("task_id", of.session().taskId());
        metadata.put("trace", of.index());
        metadata.put("role", of.role());
        metadata.put("agent", of.agent());
        metadata.put("tools", of.trace().tools());
        for (var key : List.of("group_id", "rollout_step", "policy_version", "spans", "training_filter")) {
            if (of.trace().metadata().get(key) != null) {
                metadata.put(key, of.trace().metadata().get(key));
            }
        }
        return metadata;
    }
}
