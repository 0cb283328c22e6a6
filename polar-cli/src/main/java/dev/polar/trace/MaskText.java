package dev.polar.trace;

import dev.polar.result.SessionTrace;
import dev.polar.trace.Palette.Style;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A trace with its mask: what was sampled and trained on stands out from what was given. */
public final class MaskText {
    /** Ids in a row with one mask. */
    record Stretch(String kind, int start, int[] ids) {}

    private final SessionTrace trace;
    private final TokenTexts texts;

    public MaskText(SessionTrace trace, TokenTexts texts) {
        this.trace = trace;
        this.texts = texts;
    }

    /** Prompt first, then by the mask. */
    List<Stretch> stretches() {
        var stretches = new ArrayList<Stretch>();
        stretches.add(new Stretch("prompt", 0, trace.trace().promptIds()));
        var mask = trace.trace().lossMask();
        var ids = trace.trace().responseIds();
        int start = 0;
        for (int i = 1; i <= ids.length; i++) {
            if (i == ids.length || mask(mask, i) != mask(mask, start)) {
                stretches.add(new Stretch(
                        mask(mask, start) == 1 ? "sampled" : "given",
                        trace.trace().promptIds().length + start,
                        Arrays.copyOfRange(ids, start, i)));
                start = i;
            }
        }
        return stretches;
    }

    private static int mask(int[] mask, int i) {
        return i < mask.length ? mask[i] : 0;
    }

    /** With colours the text goes on as it is; without, each stretch is a block below its name. */
    public void print(Palette palette, Consumer<String> out) throws InterruptedException {
        if (!palette.colour()) {
            for (var stretch : stretches()) {
                out.accept("[" + stretch.kind + ", " + stretch.ids.length + " tokens]");
                out.accept(texts.show(stretch.ids));
            }
            return;
        }
        out.accept(palette.paint(Style.DIM, "prompt") + "  " + palette.paint(Style.GIVEN, "given") + "  "
                + palette.paint(Style.SAMPLED, "sampled, trained on"));
        var whole = new StringBuilder();
        for (var stretch : stretches()) {
            var style = switch (stretch.kind) {
                case "prompt" -> Style.DIM;
                case "given" -> Style.GIVEN;
                default -> Style.SAMPLED;
            };
            whole.append(palette.paint(style, texts.show(stretch.ids)));
        }
        out.accept(whole.toString());
    }

    /** The same as JSON. */
    public Map<String, Object> json() throws InterruptedException {
        var listed = new ArrayList<Map<String, Object>>();
        for (var stretch : stretches()) {
            var said = new LinkedHashMap<String, Object>();
            said.put("kind", stretch.kind);
            said.put("start", stretch.start);
            said.put("ids", stretch.ids);
            said.put("text", texts.text(stretch.ids).orElse(null));
            listed.add(said);
        }
        var json = new LinkedHashMap<String, Object>();
        json.put("session_id", trace.session().sessionId());
        json.put("trace", trace.index());
        json.put("stretches", listed);
        return json;
    }
}
