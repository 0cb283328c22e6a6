package dev.polar.sim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * One choice of an answer while it is sampled: takes the planned ids one by one, gives each its log-probability, and decides when the line ends. Not thread-safe.
 */
final class SampledLine {
    private final SimTokenizer tokenizer;
    private final ChatRequest request;
    private final List<String> stops;
    private final List<Integer> stopIds;
    private final int longestStop;
    private final int limit;
    private final Supplier<int[]> more;
    private final TokenLogprobs scores;
    private final Characters characters = new Characters();
    private final StringBuilder text = new StringBuilder();
    private final List<WeightSpan> versions = new ArrayList<>();

    private int[] planned;
    private int next;
    private int[] ids = new int[64];
    private double[] logprobs = new double[64];
    private int size;
    private int shown;
    private Finish finish;

    /**
     * @param limit the most tokens that this line may have: the caller's limit and the rest of the context, whichever is less
     * @param more further ids (they need not end) for a line that must go on after its planned end
     */
    SampledLine(SimTokenizer tokenizer, ChatRequest request, int[] prompt, int limit, Supplier<int[]> more) {
        this.tokenizer = tokenizer;
        this.request = request;
        this.stops = request.stops();
        this.stopIds = request.stopTokenIds();
        this.longestStop = request.includeStop()
                ? 0
                : stops.stream().mapToInt(String::length).max().orElse(0);
        this.limit = limit;
        this.more = more;
        this.scores = new TokenLogprobs(prompt);
        this.planned = more.get();
    }

    private Step sample(boolean last) {
        int id = nextId();
        double logprob = scores.append(id);
        append(id, logprob);
        finish = finishAt(id);
        boolean hidden = finish != null && finish.matchedId() >= 0 && !request.includeStop()
                || (tokenizer.isSpecial(id) && request.skipSpecialTokens());
        String completed = hidden ? "" : characters.append(tokenizer.bytes(id));
        int before = text.length();
        text.append(completed);
        if (size > request.minTokens()) {
            cutAtStop(before);
        }
        if (finish == null && (last || size >= limit)) {
            finish = last ? Finish.ABORT : Finish.LENGTH;
        }
        return new Step(id, logprob, show(), finish);
    }

    /**
     * One step of a request that may have been stopped from outside.
     *
     * @param version the weights that sample this token
     */
    Step step(Scheduler.Stop stop, String version) {
        if (stop == Scheduler.Stop.AT_ONCE) {
            finish = Finish.ABORT;
            return new Step(-1, 0, show(), finish);
        }
        if (!version.equals(versions.isEmpty() ? null : versions.getLast().version())) {
            versions.add(new WeightSpan(version, size));
        }
        return sample(stop == Scheduler.Stop.WITH_TOKEN);
    }

    /**
     * Tokens sampled by one version of the weights, up to the next span or the line's end.
     *
     * @param start index of the first
     */
    record WeightSpan(String version, int start) {}

    List<WeightSpan> versions() {
        return List.copyOf(versions);
    }

    int[] ids() {
        return Arrays.copyOf(ids, size);
    }

    double[] logprobs() {
        return Arrays.copyOf(logprobs, size);
    }

    int size() {
        return size;
    }

    /** The text so far, without special tokens and up to a stop string. */
    String text() {
        return text.toString();
    }

    /** True where the last token ended inside a character. */
    boolean endsInsideCharacter() {
        return characters.isInside();
    }

    /** Null while the line goes on. */
    Finish finish() {
        return finish;
    }

    private int nextId() {
        boolean tooEarly = size < request.minTokens();
        while (next >= planned.length || (tooEarly && endsTurn(planned[next]))) {
            if (next < planned.length) {
                next++;
            } else {
                planned = more.get();
                next = 0;
            }
        }
        return planned[next++];
    }

    private boolean endsTurn(int id) {
        return id == tokenizer.endOfTurn() || stopIds.contains(id);
    }

    private Finish finishAt(int id) {
        if (id == tokenizer.endOfTurn() && !request.ignoreEos()) {
            return Finish.stop(id);
        }
        return stopIds.contains(id) ? Finish.stop(id) : null;
    }

    private void cutAtStop(int before) {
        for (String stop : stops) {
            int at = stop.isEmpty() ? -1 : text.indexOf(stop, Math.max(0, before - stop.length() + 1));
            if (at >= 0) {
                text.setLength(request.includeStop() ? at + stop.length() : at);
                finish = Finish.stop(stop);
                return;
            }
        }
    }

    private String show() {
        int until = finish != null ? text.length() : Math.max(shown, text.length() - Math.max(0, longestStop - 1));
        String shownNow = text.substring(Math.min(shown, until), until);
        shown = until;
        return shownNow;
    }

    private void append(int id, double logprob) {
        if (size == ids.length) {
            ids = Arrays.copyOf(ids, size * 2);
            logprobs = Arrays.copyOf(logprobs, size * 2);
        }
        ids[size] = id;
        logprobs[size++] = logprob;
    }
}
