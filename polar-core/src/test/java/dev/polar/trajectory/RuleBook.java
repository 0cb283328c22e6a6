package dev.polar.trajectory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The rules of trajectories, word by word and without a thought of speed: each completion is compared with each other, id by id. Shares no code with the builders; knows calls as they were
 * sent to the record, and says what must come out.
 */
final class RuleBook {
    /**
     * A recorded call.
     *
     * @param order of arrival
     * @param stopped the last sampled id is what stopped it, whatever the end-of-turn id
     * @param bad why it is untrainable, or null
     */
    record Call(
            String id,
            int order,
            int[] prompt,
            int[] sampled,
            double[] logprobs,
            Map<Integer, String> images,
            boolean delivered,
            String role,
            String agent,
            boolean stopped,
            String bad) {}

    enum Tail {
        EXACT,
        RETOKENIZED,
        REWRITTEN;

        String word() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /** What must be built. */
    record Expected(List<ExpectedTrace> traces, Map<String, String> excluded) {}

    record ExpectedTrace(
            int[] prompt,
            int[] response,
            int[] mask,
            double[] logprobs,
            List<Map<String, Object>> spans,
            Integer parentTrace,
            Integer shared) {}

    private final List<Call> calls;
    private final Integer endOfTurn;
    private final String merge;
    private final boolean includeUndelivered;
    private final boolean includeSuperseded;
    private final List<String> roles;

    private final Map<Call, String> left = new HashMap<>();
    private final List<Call> continued = new ArrayList<>();
    private final Map<Call, Call> parents = new HashMap<>();
    private final Map<Call, Call> goesOn = new HashMap<>();
    private final Map<Call, Call> supersededBy = new HashMap<>();

    RuleBook(
            List<Call> calls,
            Integer endOfTurn,
            String merge,
            boolean includeUndelivered,
            boolean includeSuperseded,
            List<String> roles) {
        this.calls = calls.stream().sorted(Comparator.comparingInt(Call::order)).toList();
        this.endOfTurn = endOfTurn;
        this.merge = merge;
        this.includeUndelivered = includeUndelivered;
        this.includeSuperseded = includeSuperseded;
        this.roles = roles;
    }

    /** The tails of {@code k} that are retokenized, by completion id. */
    List<String> retokenizedOf(Call k) {
        return calls.stream()
                .filter(j -> j.sampled != null && begins(j, k) && tail(j, k) == Tail.RETOKENIZED)
                .map(Call::id)
                .sorted()
                .toList();
    }

    Expected build() {
        leaveOut();
        for (var call : included()) {
            parent(call);
        }
        continueChains();
        supersede();
        return emit();
    }

    private List<Call> included() {
        return calls.stream().filter(call -> !left.containsKey(call)).toList();
    }

    // Rule 0

    private void leaveOut() {
        for (var call : calls) {
            var reason = reason(call);
            if (reason != null) {
                left.put(call, reason);
            }
        }
        for (int i = calls.size() - 1; i >= 0; i--) {
            var call = calls.get(i);
            var reason = left.getOrDefault(call, "");
            if (!reason.equals("undelivered") && !reason.startsWith("role:")) {
                continue;
            }
            boolean included = included().stream()
                    .anyMatch(later -> later.order > call.order
                            && begins(call, later)
                            && isRepeated(call, later)
                            && included().stream()
                                    .noneMatch(other -> samePrompt(other, call) && asFar(other, call, later)));
            if (included) {
                left.remove(call);
                continued.add(call);
            }
        }
    }

    private String reason(Call call) {
        if (call.bad != null) {
            return "untrainable:" + call.bad;
        }
        if (call.sampled.length == 0) {
            return "empty";
        }
        if (!call.delivered && !includeUndelivered) {
            return "undelivered";
        }
        return roles.contains(call.role) ? null : "role:" + call.role;
    }

    private boolean isRepeated(Call call, Call later) {
        var rest = rest(call, later);
        if (!startsWith(rest, call.sampled)) {
            return false;
        }
        if (endsWithStop(call)) {
            return true;
        }
        return endOfTurn != null && rest.length > call.sampled.length && rest[call.sampled.length] == endOfTurn;
    }

    private boolean asFar(Call other, Call call, Call later) {
        var tail = tail(other, later);
        return tail != Tail.REWRITTEN && covered(other, later, tail) >= call.sampled.length;
    }

    private static boolean samePrompt(Call a, Call b) {
        return a != b
                && Objects.equals(a.agent, b.agent)
                && Arrays.equals(a.prompt, b.prompt)
                && a.images.equals(b.images);
    }

    // Words

    /** P[j] is a proper prefix of P[k], both of one agent. */
    private static boolean begins(Call j, Call k) {
        return Objects.equals(j.agent, k.agent) && isProperPrefix(j, k);
    }

    private static boolean isProperPrefix(Call j, Call k) {
        if (j.prompt == null || k.prompt == null || j.prompt.length == 0 || j.prompt.length >= k.prompt.length) {
            return false;
        }
        var before = new TreeMap<Integer, String>();
        k.images.forEach((position, digest) -> {
            if (position < j.prompt.length) {
                before.put(position, digest);
            }
        });
        return startsWith(k.prompt, j.prompt) && before.equals(new TreeMap<>(j.images));
    }

    private static boolean startsWith(int[] ids, int[] start) {
        return ids.length >= start.length && Arrays.equals(Arrays.copyOf(ids, start.length), start);
    }

    private static int[] rest(Call j, Call k) {
        return Arrays.copyOfRange(k.prompt, j.prompt.length, k.prompt.length);
    }

    private boolean endsWithStop(Call call) {
        int length = call.sampled.length;
        return length > 0 && (call.stopped || endOfTurn != null && call.sampled[length - 1] == endOfTurn);
    }

    private int turnEnd(int[] rest) {
        for (int i = 0; i < rest.length; i++) {
            if (endOfTurn != null && rest[i] == endOfTurn) {
                return i;
            }
        }
        return -1;
    }

    private Tail tail(Call j, Call k) {
        var rest = rest(j, k);
        if (startsWith(rest, j.sampled)) {
            return Tail.EXACT;
        }
        int end = turnEnd(rest);
        // Same text is decided among one agent's calls.
        if (end < 0 || !Objects.equals(j.agent, k.agent)) {
            return Tail.REWRITTEN;
        }
        var given = text(Arrays.copyOf(rest, end));
        var sampled = text(Arrays.copyOf(j.sampled, j.sampled.length - (endsWithStop(j) ? 1 : 0)));
        return given.equals(sampled) && !given.contains("\uFFFD") ? Tail.RETOKENIZED : Tail.REWRITTEN;
    }

    /** Ids of the rest that are not interstitial. */
    private int covered(Call j, Call k, Tail tail) {
        return tail == Tail.EXACT ? j.sampled.length : turnEnd(rest(j, k)) + (endsWithStop(j) ? 1 : 0);
    }

    static String text(int[] ids) {
        var text = new StringBuilder();
        for (int id : ids) {
            text.append(id == 800 ? "\uFFFD" : String.valueOf(id));
        }
        return text.toString();
    }

    // Rules 1 and 4

    private boolean takes(Call j, Call k) {
        return switch (tail(j, k)) {
            case EXACT -> true;
            case RETOKENIZED -> !merge.equals("exact");
            case REWRITTEN -> merge.equals("any") && turnEnd(rest(j, k)) >= 0;
        };
    }

    private Comparator<Call> closest(Call k) {
        return Comparator.<Call>comparingInt(j -> j.prompt.length)
                .thenComparingInt(j -> covered(j, k, tail(j, k)))
                .thenComparing(j -> tail(j, k), Comparator.reverseOrder())
                .thenComparingInt(Call::order);
    }

    private void parent(Call k) {
        included().stream()
                .filter(j -> begins(j, k) && takes(j, k))
                .max(closest(k))
                .ifPresent(parent -> parents.put(k, parent));
    }

    // Rule 2

    private List<Call> children(Call call) {
        return included().stream().filter(child -> parents.get(child) == call).toList();
    }

    private void continueChains() {
        var line = new HashMap<Call, Integer>();
        included().stream()
                .sorted(Comparator.comparingInt((Call call) -> call.prompt.length)
                        .reversed())
                .forEach(call -> {
                    var best = children(call).stream()
                            .max(Comparator.<Call>comparingInt(line::get)
                                    .thenComparing(Call::order, Comparator.reverseOrder()));
                    line.put(call, 1 + best.map(line::get).orElse(0));
                    best.ifPresent(child -> goesOn.put(call, child));
                });
    }

    private void supersede() {
        var found = new HashMap<Call, Call>();
        for (var call : included()) {
            included().stream()
                    .filter(later -> later.order > call.order && samePrompt(later, call) && goesOn.containsKey(later))
                    .max(Comparator.comparingInt(Call::order))
                    .filter(later -> !goesOn.containsKey(call))
                    .ifPresent(later -> found.put(call, later));
        }
        if (includeSuperseded) {
            supersededBy.putAll(found);
        } else {
            found.keySet().forEach(call -> left.put(call, "superseded"));
        }
    }

    // Rule 5

    private boolean opens(Call call) {
        return !parents.containsKey(call) || goesOn.get(parents.get(call)) != call;
    }

    private Expected emit() {
        var firsts = included().stream().filter(this::opens).toList();
        var traceOf = new HashMap<Call, Integer>();
        var traces = new ArrayList<ExpectedTrace>();
        for (int i = 0; i < firsts.size(); i++) {
            for (var call = firsts.get(i); call != null; call = goesOn.get(call)) {
                traceOf.put(call, i);
            }
            traces.add(trace(firsts.get(i)));
        }
        for (int i = 0; i < firsts.size(); i++) {
            traces.set(i, related(firsts.get(i), traces, i, traceOf));
        }
        var excluded = new LinkedHashMap<String, String>();
        calls.stream().filter(left::containsKey).forEach(call -> excluded.put(call.id, left.get(call)));
        return new Expected(traces, excluded);
    }

    private ExpectedTrace trace(Call first) {
        var response = new ArrayList<Integer>();
        var mask = new ArrayList<Integer>();
        var logprobs = new ArrayList<Double>();
        var spans = new ArrayList<Map<String, Object>>();
        Tail loosest = Tail.EXACT;
        for (var call = first; call != null; call = goesOn.get(call)) {
            var span = new HashMap<String, Object>();
            if (call == first) {
                span.put("tail", "first");
            } else {
                var parent = parents.get(call);
                var tail = tail(parent, call);
                loosest = tail.compareTo(loosest) > 0 ? tail : loosest;
                span.put("tail", tail.word());
                var rest = rest(parent, call);
                for (int i = covered(parent, call, tail); i < rest.length; i++) {
                    response.add(rest[i]);
                    mask.add(0);
                    logprobs.add(0.0);
                }
                if (tail != Tail.EXACT
                        && endsWithStop(parent)
                        && parent.sampled[parent.sampled.length - 1] != endOfTurn) {
                    span.put("stop_differs", true);
                }
            }
            span.put("completion_id", call.id);
            span.put("start", response.size());
            for (int i = 0; i < call.sampled.length; i++) {
                response.add(call.sampled[i]);
                mask.add(1);
                logprobs.add(call.logprobs[i]);
            }
            span.put("end", response.size());
            if (parents.containsKey(call)) {
                span.put("parent", parents.get(call).id);
            }
            if (loosest != Tail.EXACT) {
                span.put("context", loosest == Tail.RETOKENIZED ? "same_text" : "any");
            }
            if (supersededBy.containsKey(call)) {
                span.put("superseded_by", supersededBy.get(call).id);
            }
            if (continued.contains(call)) {
                span.put("included_by", "continuation");
            }
            span.put("role", call.role);
            if (call.agent != null) {
                span.put("agent", call.agent);
            }
            spans.add(span);
        }
        return new ExpectedTrace(
                first.prompt,
                response.stream().mapToInt(i -> i).toArray(),
                mask.stream().mapToInt(i -> i).toArray(),
                logprobs.stream().mapToDouble(d -> d).toArray(),
                spans,
                null,
                null);
    }

    private ExpectedTrace related(Call first, List<ExpectedTrace> traces, int index, Map<Call, Integer> traceOf) {
        var trace = traces.get(index);
        var parent = parents.get(first);
        var own = included().stream().filter(j -> begins(j, first)).max(nearest(first));
        var any = included().stream()
                .filter(j -> !Objects.equals(j.agent, first.agent) && isProperPrefix(j, first))
                .max(nearest(first));
        String why;
        if (parent != null) {
            why = sameIds(goesOn.get(parent), first) ? "same_prompt" : "fork";
        } else if (included().stream().anyMatch(other -> other.order < first.order && samePrompt(other, first))) {
            why = "same_prompt";
        } else if (own.isPresent()) {
            why = tail(own.get(), first).word();
        } else {
            why = any.isPresent() ? "role" : "first";
        }
        trace.spans.getFirst().put("break", why);
        var from = parent != null ? parent : own.or(() -> any).orElse(null);
        if (from == null) {
            return trace;
        }
        int other = traceOf.get(from);
        int shared = 0;
        var there = concat(traces.get(other).prompt, traces.get(other).response);
        while (shared < first.prompt.length && shared < there.length && there[shared] == first.prompt[shared]) {
            shared++;
        }
        return new ExpectedTrace(trace.prompt, trace.response, trace.mask, trace.logprobs, trace.spans, other, shared);
    }

    private Comparator<Call> nearest(Call k) {
        return Comparator.<Call>comparingInt(j -> j.prompt.length)
                .thenComparingInt(
                        j -> tail(j, k) != Tail.EXACT && turnEnd(rest(j, k)) < 0 ? -1 : covered(j, k, tail(j, k)))
                .thenComparing(j -> tail(j, k), Comparator.reverseOrder())
                .thenComparingInt(Call::order);
    }

    private static boolean sameIds(Call a, Call b) {
        return Arrays.equals(a.prompt, b.prompt) && a.images.equals(b.images);
    }

    private static int[] concat(int[] a, int[] b) {
        var all = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, all, a.length, b.length);
        return all;
    }
}
