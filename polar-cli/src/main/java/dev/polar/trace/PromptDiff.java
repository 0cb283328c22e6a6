package dev.polar.trace;

import dev.polar.trace.Palette.Style;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Where a prompt leaves what it should have gone on from.
 *
 * @param trace the trace that the prompt is in
 * @param tail {@code retokenized} or {@code rewritten}
 * @param at ids that both share from their start
 * @param before the last of them
 * @param sampled what stands there in the trace before: what was sampled, and given
 * @param came what the agent sent instead
 */
public record PromptDiff(int trace, String tail, int at, int[] before, int[] sampled, int[] came) {
    /** Ids shown on each side of the difference. */
    private static final int SHOWN = 40;

    /** @param expected the ids of the trace that the prompt should have gone on from, to the answer's end or further */
    static PromptDiff of(int trace, String tail, int[] expected, int[] prompt) {
        int mismatch = Arrays.mismatch(expected, prompt);
        int at = mismatch < 0 ? Math.min(expected.length, prompt.length) : mismatch;
        return new PromptDiff(
                trace,
                tail,
                at,
                Arrays.copyOfRange(prompt, Math.max(0, at - SHOWN), at),
                Arrays.copyOfRange(expected, at, Math.min(expected.length, at + SHOWN)),
                Arrays.copyOfRange(prompt, at, Math.min(prompt.length, at + SHOWN)));
    }

    public void print(TokenTexts texts, Palette palette, Consumer<String> out) throws InterruptedException {
        out.accept(palette.paint(Style.TITLE, "trace " + trace) + "  " + palette.paint(Style.NOTE, tail)
                + "  the first " + at + " tokens are the same");
        lines(palette, Style.DIM, "  ", texts.show(before), out);
        lines(palette, Style.BAD, "- ", texts.show(sampled), out);
        out.accept(palette.paint(
                Style.DIM, "  ids " + Arrays.toString(Arrays.copyOf(sampled, Math.min(8, sampled.length)))));
        lines(palette, Style.GOOD, "+ ", texts.show(came), out);
        out.accept(palette.paint(Style.DIM, "  ids " + Arrays.toString(Arrays.copyOf(came, Math.min(8, came.length)))));
    }

    private static void lines(Palette palette, Style style, String mark, String text, Consumer<String> out) {
        text.lines().forEach(line -> out.accept(palette.paint(style, mark + line)));
    }

    /** The same as JSON. */
    public Map<String, Object> json(TokenTexts texts) throws InterruptedException {
        var json = new LinkedHashMap<String, Object>();
        json.put("trace", trace);
        json.put("tail", tail);
        json.put("shared_tokens", at);
        json.put("sampled_ids", sampled);
        json.put("came_ids", came);
        json.put("sampled_text", texts.text(sampled).orElse(null));
        json.put("came_text", texts.text(came).orElse(null));
        return json;
    }
}
