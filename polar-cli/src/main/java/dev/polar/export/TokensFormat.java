package dev.polar.export;

import static dev.polar.export.Column.REALS;
import static dev.polar.export.Column.WHOLES;
import static dev.polar.export.Column.list;
import static dev.polar.export.Column.real;
import static dev.polar.export.Column.text;
import static dev.polar.export.Column.whole;

import dev.polar.export.Column.Struct;
import dev.polar.result.ChatMessage;
import dev.polar.result.SessionTrace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Prompt and response as one sequence of ids; labels, mask and log-probabilities are as long as it. */
final class TokensFormat implements RowFormat {
    /** What trainers leave out of the loss. */
    static final int IGNORED = -100;

    private static final Struct IMAGE =
            new Struct(List.of(whole("message_index"), text("digest"), text("media_type"), text("url")));

    private final ImageForm images;

    TokensFormat(ImageForm images) {
        this.images = images;
    }

    @Override
    public List<Column> columns() {
        return List.of(
                text("task_id"),
                text("session_id"),
                whole("trace"),
                text("role"),
                text("agent"),
                text("status"),
                real("reward"),
                text("finish_reason"),
                whole("prompt_length"),
                new Column("input_ids", WHOLES),
                new Column("labels", WHOLES),
                new Column("loss_mask", WHOLES),
                new Column("logprobs", REALS),
                list("images", IMAGE));
    }

    @Override
    public Outcome row(SessionTrace of) {
        if (!of.aligned()) {
            return new LeftOut("unaligned");
        }
        var row = new LinkedHashMap<String, Object>();
        Place.put(row, of);
        row.put("finish_reason", of.trace().finishReason());
        int prompt = of.trace().promptIds().length;
        row.put("prompt_length", prompt);
        var ids = of.ids(of.length());
        row.put("input_ids", ids);
        var mask = new int[ids.length];
        System.arraycopy(of.trace().lossMask(), 0, mask, prompt, ids.length - prompt);
        row.put("labels", labels(ids, mask));
        row.put("loss_mask", mask);
        row.put("logprobs", logprobs(of, prompt));
        row.put("images", images(of));
        return new Row(row);
    }

    private static int[] labels(int[] ids, int[] mask) {
        var labels = new int[ids.length];
        Arrays.setAll(labels, i -> mask[i] == 0 ? IGNORED : ids[i]);
        return labels;
    }

    private static double[] logprobs(SessionTrace of, int prompt) {
        var given = of.trace().responseLogprobs();
        if (given == null) {
            return null;
        }
        var logprobs = new double[of.length()];
        System.arraycopy(given, 0, logprobs, prompt, given.length);
        return logprobs;
    }

    private List<Map<String, Object>> images(SessionTrace of) {
        var found = new ArrayList<Map<String, Object>>();
        var messages = of.messages();
        for (int i = 0; i < messages.size(); i++) {
            for (var image : ChatMessage.of(messages.get(i)).images()) {
                var said = new LinkedHashMap<String, Object>();
                said.put("message_index", i);
                said.put("digest", ImageForm.digest(image));
                said.put("media_type", image.mediaType());
                said.put("url", images == ImageForm.INLINE ? image.url() : null);
                found.add(said);
            }
        }
        return found;
    }
}
