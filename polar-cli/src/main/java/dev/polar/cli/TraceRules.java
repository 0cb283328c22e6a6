package dev.polar.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.cli.RecordedCall.Tail;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What a record must become: which completions are left out and why, each one's parent, and the chains that become traces. Each completion is compared with each other, as the rules say it, and
 * without a thought of speed.
 */
final class TraceRules {
    private final List<RecordedCall> calls;
    private final Config config;
    /** The next five by order; null where there is nothing to say. */
    private final String[] leftOut;

    private final boolean[] continued;
    private final RecordedCall[] parents;
    private final RecordedCall[] goesOn;
    private final RecordedCall[] supersededBy;

    /**
     * What was in force.
     *
     * @param merging false for {@code per_request}: then nothing has a parent
     * @param endOfTurn null where none is known
     */
    record Config(
            boolean merging,
            String merge,
            List<String> roles,
            boolean undelivered,
            boolean superseded,
            Integer endOfTurn) {
        /** @param trajectory {@code metadata} of a trajectory */
        static Config of(JsonNode trajectory) {
            var config = trajectory.path("builder_config");
            var roles = new ArrayList<String>();
            config.path("include_roles").forEach(role -> roles.add(role.asText()));
            var endOfTurn = config.path("end_of_turn_token_id");
            return new Config(
                    trajectory.path("builder").asText().equals("prefix_merging"),
                    config.path("merge").asText("exact"),
                    roles.isEmpty() ? List.of("main", "subagent") : roles,
                    config.path("include_undelivered").asBoolean(false),
                    config.path("include_superseded").asBoolean(true),
                    endOfTurn.isIntegralNumber() ? endOfTurn.intValue() : null);
        }

        boolean takes(Tail tail) {
            return switch (tail) {
                case EXACT -> true;
                case RETOKENIZED -> !merge.equals("exact");
                case REWRITTEN -> merge.equals("any");
            };
        }
    }

    /** @param calls in the record's order */
    TraceRules(List<RecordedCall> calls, Config config) {
        this.calls = calls;
        this.config = config;
        this.leftOut = new String[calls.size()];
        this.continued = new boolean[calls.size()];
        this.parents = new RecordedCall[calls.size()];
        this.goesOn = new RecordedCall[calls.size()];
        this.supersededBy = new RecordedCall[calls.size()];
        leaveOut();
        if (config.merging) {
            included()
                    .forEach(call ->
                            parents[call.order()] = best(begins(call).filter(earlier -> takes(earlier, call)), call)
                                    .orElse(null));
            continueChains();
            supersede();
        }
    }

    /** Why a completion is left out; null where it stands in a trace. */
    String leftOut(RecordedCall call) {
        return leftOut[call.order()];
    }

    private Stream<RecordedCall> included() {
        return calls.stream().filter(call -> leftOut[call.order()] == null);
    }

    private void leaveOut() {
        calls.forEach(call -> leftOut[call.order()] = reason(call));
        for (var call : calls.reversed()) {
            var reason = leftOut[call.order()];
            boolean open = reason != null && (reason.equals("undelivered") || reason.startsWith("role:"));
            if (open && included().anyMatch(later -> isContinuedOnlyBy(call, later))) {
                leftOut[call.order()] = null;
                continued[call.order()] = true;
            }
        }
    }

    private String reason(RecordedCall call) {
        if (call.untrainable() != null) {
            return "untrainable:" + call.untrainable();
        }
        if (call.isEmpty()) {
            return "empty";
        }
        if (!call.delivered() && !config.undelivered) {
            return "undelivered";
        }
        return config.roles.contains(call.role()) ? null : "role:" + call.role();
    }

    /** True where {@code later} repeats the answer as a whole turn, and no included answer to the same prompt explains as much of it. */
    private boolean isContinuedOnlyBy(RecordedCall call, RecordedCall later) {
        if (later.order() < call.order() || !begins(call, later) || call.tail(later) != Tail.EXACT) {
            return false;
        }
        int next = call.prompt().length + call.sampled().length;
        boolean turnEnds =
                config.endOfTurn != null && next < later.prompt().length && later.prompt()[next] == config.endOfTurn;
        return (call.endsWithStopId(config.endOfTurn) || turnEnds)
                && included()
                        .filter(other -> other != call && other.sameAgent(call) && other.samePrompt(call))
                        .filter(other -> other.tail(later) != Tail.REWRITTEN)
                        .noneMatch(other -> other.explained(later, config.endOfTurn) >= call.sampled().length);
    }

    private static boolean begins(RecordedCall earlier, RecordedCall later) {
        return earlier.sameAgent(later) && earlier.isPrefixOf(later);
    }

    private Stream<RecordedCall> begins(RecordedCall later) {
        return included().filter(earlier -> begins(earlier, later));
    }

    private boolean takes(RecordedCall earlier, RecordedCall later) {
        return config.takes(earlier.tail(later)) && earlier.explained(later, config.endOfTurn) >= 0;
    }

    /** Of answers to prefixes of a prompt the one that it goes on from, or would, were its tail taken. */
    private Optional<RecordedCall> best(Stream<RecordedCall> earlier, RecordedCall later) {
        return earlier.max(Comparator.<RecordedCall>comparingInt(call -> call.prompt().length)
                .thenComparingInt(call -> call.explained(later, config.endOfTurn))
                .thenComparing(call -> call.tail(later), Comparator.reverseOrder())
                .thenComparingInt(RecordedCall::order));
    }

    private void continueChains() {
        var line = new int[calls.size()];
        var longestFirst = included()
                .sorted(Comparator.comparingInt((RecordedCall call) -> call.prompt().length)
                        .reversed())
                .toList();
        for (var call : longestFirst) {
            var next = calls.stream()
                    .filter(child -> parents[child.order()] == call)
                    .max(Comparator.<RecordedCall>comparingInt(child -> line[child.order()])
                            .thenComparing(RecordedCall::order, Comparator.reverseOrder()));
            line[call.order()] = 1 + next.map(child -> line[child.order()]).orElse(0);
            goesOn[call.order()] = next.orElse(null);
        }
    }

    private void supersede() {
        for (var call : included().filter(call -> goesOn[call.order()] == null).toList()) {
            supersededBy[call.order()] = included()
                    .filter(later -> later.order() > call.order() && goesOn[later.order()] != null)
                    .filter(later -> later.sameAgent(call) && later.samePrompt(call))
                    .reduce((_, later) -> later)
                    .orElse(null);
        }
        for (var call : calls) {
            if (supersededBy[call.order()] != null && !config.superseded) {
                leftOut[call.order()] = "superseded";
            }
        }
    }

    private boolean opens(RecordedCall call) {
        var parent = parents[call.order()];
        return parent == null || goesOn[parent.order()] != call;
    }

    /** The completions of each trace, the traces in order. */
    List<List<RecordedCall>> chains() {
        return included().filter(this::opens).map(this::from).toList();
    }

    private List<RecordedCall> from(RecordedCall first) {
        return Stream.iterate(first, call -> call != null, call -> goesOn[call.order()])
                .toList();
    }

    /** What the span of a completion must say beside its place; absent keys where there is nothing to say. */
    Map<String, Object> span(List<RecordedCall> chain, int index) {
        var call = chain.get(index);
        var parent = parents[call.order()];
        var span = new LinkedHashMap<String, Object>();
        var tail = index == 0 ? null : parent.tail(call);
        span.put("tail", tail == null ? "first" : tail.word());
        put(span, "parent", parent == null ? null : parent.id());
        put(span, "break", index == 0 ? why(call) : null);
        put(span, "context", loosest(chain.subList(0, index + 1)).context());
        boolean differs = tail != null
                && tail != Tail.EXACT
                && parent.endsWithStopId(config.endOfTurn)
                && parent.last() != config.endOfTurn;
        put(span, "stop_differs", differs ? true : null);
        var by = supersededBy[call.order()];
        put(span, "superseded_by", by == null ? null : by.id());
        put(span, "included_by", continued[call.order()] ? "continuation" : null);
        put(span, "role", call.role());
        put(span, "agent", call.agent());
        return span;
    }

    private static void put(Map<String, Object> span, String key, Object value) {
        if (value != null) {
            span.put(key, value);
        }
    }

    private static Tail loosest(List<RecordedCall> chain) {
        var loosest = Tail.EXACT;
        for (int i = 1; i < chain.size(); i++) {
            var tail = chain.get(i - 1).tail(chain.get(i));
            loosest = tail.compareTo(loosest) > 0 ? tail : loosest;
        }
        return loosest;
    }

    private String why(RecordedCall first) {
        var parent = parents[first.order()];
        if (parent != null) {
            return goesOn[parent.order()].samePrompt(first) ? "same_prompt" : "fork";
        }
        if (!config.merging) {
            return "first";
        }
        Predicate<RecordedCall> same = call -> call.sameAgent(first) && call.samePrompt(first);
        if (included().anyMatch(call -> call.order() < first.order() && same.test(call))) {
            return "same_prompt";
        }
        var own = best(begins(first), first);
        if (own.isPresent()) {
            return own.get().tail(first).word();
        }
        return ofOthers(first).isPresent() ? "role" : "first";
    }

    private Optional<RecordedCall> ofOthers(RecordedCall first) {
        return best(included().filter(call -> !call.sameAgent(first) && call.isPrefixOf(first)), first);
    }

    /** Where a trace comes from; empty where nothing before it is a prefix of its prompt. */
    Optional<RecordedCall> origin(RecordedCall first) {
        if (!config.merging) {
            return Optional.empty();
        }
        return Optional.ofNullable(parents[first.order()])
                .or(() -> best(begins(first), first))
                .or(() -> ofOthers(first));
    }

    /** The ids of a completion's prompt that its trace holds as given, between it and the answer before it. */
    int[] given(RecordedCall before, RecordedCall call) {
        int from = before.prompt().length + Math.max(0, before.explained(call, config.endOfTurn));
        return Arrays.copyOfRange(call.prompt(), from, call.prompt().length);
    }
}
