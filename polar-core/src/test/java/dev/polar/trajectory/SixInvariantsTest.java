package dev.polar.trajectory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.polar.capture.RecordStore;
import dev.polar.capture.RecordedCalls;
import dev.polar.capture.SealedRecord;
import dev.polar.spi.BuiltTrajectory;
import dev.polar.spi.Trace;
import dev.polar.topology.GatewayConfig.Fsync;
import dev.polar.topology.GatewayConfig.Persistence;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Made-up sessions in every configuration, against the six invariants alone; and that the sessions and the check are worth something. */
class SixInvariantsTest {
    /** More with {@code -Dpolar.property.cases=10000}. */
    private static final int CASES = Integer.getInteger("polar.property.cases", 1_500);

    private record Session(SealedRecord record, List<RuleBook.Call> calls, long failedCalls) {
        BuiltTrajectory merged(PrefixMergingConfig config) {
            return new PrefixMergingBuilder().build(record, config);
        }
    }

    private static Session session(long seed) {
        var store = new RecordStore(null, new Persistence(false, 64, 1, 16, 1, 0.0, Fsync.NONE));
        var recorded = new RecordedCalls(store.create("s" + seed, "t"));
        var made = new CallTrees(seed, recorded);
        made.make();
        var record = recorded.seal(
                OptionalInt.of(CallTrees.END_OF_TURN),
                sequences -> Optional.of(sequences.stream().map(RuleBook::text).toList()));
        return new Session(record, made.calls(), made.failedCalls());
    }

    /** What a session's configuration may be; each seed has one of its own. */
    private static PrefixMergingConfig config(int seed, Merge merge) {
        var roles = seed % 5 == 0 ? List.of("main", "subagent", "auxiliary", "title") : null;
        return new PrefixMergingConfig(merge, roles, seed % 7 == 0, seed % 3 != 0, null);
    }

    @Test
    void the_six_invariants_hold_over_made_up_sessions() {
        for (int seed = 0; seed < CASES; seed++) {
            var session = session(seed);
            for (var merge : Merge.values()) {
                var built = session.merged(config(seed, merge));
                int number = seed;
                assertThatCode(() -> SixInvariants.check(session.calls, session.failedCalls, built))
                        .as("seed %d, merge %s", number, merge)
                        .doesNotThrowAnyException();
            }
            var each = new PerRequestBuilder().build(session.record, PerRequestConfig.DEFAULT);
            SixInvariants.check(session.calls, session.failedCalls, each);
        }
    }

    @Test
    void the_made_up_sessions_have_all_that_can_happen() {
        var seen = new TreeMap<String, Integer>();
        for (int seed = 0; seed < 1_500; seed++) {
            var session = session(seed);
            for (var kind : kinds(session, seed)) {
                seen.merge(kind, 1, Integer::sum);
            }
        }

        assertThat(seen.keySet())
                .contains(
                        "break first",
                        "break fork",
                        "break same_prompt",
                        "break retokenized",
                        "break rewritten",
                        "break role",
                        "tail exact",
                        "tail retokenized",
                        "tail rewritten",
                        "left undelivered",
                        "left empty",
                        "left superseded",
                        "left role:auxiliary",
                        "left untrainable:bad_logprob",
                        "left untrainable:no_ids",
                        "left untrainable:no_logprobs",
                        "left untrainable:length_mismatch",
                        "left untrainable:usage_mismatch",
                        "included_by continuation",
                        "stop_differs",
                        "rewind",
                        "two agents by turns",
                        "other picture, same ids",
                        "picture in the middle of a chain",
                        "failed call");
        assertThat(seen.values()).as("sessions with each: %s", seen).allMatch(count -> count >= 10);
    }

    private static LinkedHashSet<String> kinds(Session session, int seed) {
        var kinds = new LinkedHashSet<String>();
        for (var merge : Merge.values()) {
            var built = session.merged(config(seed, merge));
            built.excluded().forEach(exclusion -> kinds.add("left " + exclusion.reason()));
            for (var trace : built.traces()) {
                Records.spans(trace).forEach(span -> describe(span, kinds));
            }
        }
        var calls = session.calls;
        for (int k = 0; k < calls.size(); k++) {
            for (int j = 0; j < k; j++) {
                compare(calls.get(j), calls.get(k), kinds);
            }
        }
        if (session.failedCalls > 0) {
            kinds.add("failed call");
        }
        return kinds;
    }

    private static void describe(Map<String, Object> span, LinkedHashSet<String> kinds) {
        if (span.containsKey("break")) {
            kinds.add("break " + span.get("break"));
        }
        kinds.add("tail " + span.get("tail"));
        if (span.containsKey("included_by")) {
            kinds.add("included_by " + span.get("included_by"));
        }
        if (span.containsKey("stop_differs")) {
            kinds.add("stop_differs");
        }
    }

    private static void compare(RuleBook.Call earlier, RuleBook.Call later, LinkedHashSet<String> kinds) {
        if (earlier.prompt() == null || later.prompt() == null) {
            return;
        }
        int shorter = Math.min(earlier.prompt().length, later.prompt().length);
        if (java.util.Arrays.mismatch(earlier.prompt(), 0, shorter, later.prompt(), 0, shorter) >= 0) {
            return;
        }
        boolean grows = earlier.prompt().length < later.prompt().length;
        if (later.prompt().length < earlier.prompt().length) {
            kinds.add("rewind");
        }
        boolean otherPicture = earlier.images().entrySet().stream()
                .anyMatch(image -> later.images().containsKey(image.getKey())
                        && !image.getValue().equals(later.images().get(image.getKey())));
        if (otherPicture) {
            kinds.add("other picture, same ids");
        } else if (grows && later.images().keySet().stream().anyMatch(at -> at >= earlier.prompt().length)) {
            kinds.add("picture in the middle of a chain");
        }
        if (grows && !java.util.Objects.equals(earlier.agent(), later.agent())) {
            kinds.add("two agents by turns");
        }
    }

    @Test
    void each_broken_invariant_is_found() {
        int found = 0;
        for (int seed = 0; seed < 200; seed++) {
            var session = session(seed);
            var built = session.merged(new PrefixMergingConfig(Merge.ANY, null, null, null, null));
            int spans = built.traces().isEmpty()
                    ? 0
                    : Records.spans(built.traces().getFirst()).size();
            if (spans < 2 || given(built.traces().getFirst()) < 0) {
                continue;
            }
            found++;
            broken(session, built, 1, trace -> with(trace, ids(trace.lossMask(), -1, 0), trace.responseLogprobs()));
            int first = (Integer)
                    Records.spans(built.traces().getFirst()).getFirst().get("start");
            broken(session, built, 2, trace -> with(trace, ids(trace.lossMask(), first, 0), trace.responseLogprobs()));
            broken(session, built, 2, trace -> {
                var logprobs = trace.responseLogprobs().clone();
                logprobs[first] = Math.nextDown(logprobs[first]);
                return with(trace, trace.lossMask(), logprobs);
            });
            int given = given(built.traces().getFirst());
            broken(session, built, 3, trace -> with(trace, ids(trace.lossMask(), given, 1), trace.responseLogprobs()));
            broken(session, built, 4, trace -> prompted(trace, ids(trace.promptIds(), 0, 77)));
            assertBroken(session, new BuiltTrajectory(List.of(), built.excluded(), Map.of(), Map.of()), 2);
            var stats = new HashMap<>(built.reconstructionStats());
            stats.put("failed_calls", 1_000);
            assertBroken(session, new BuiltTrajectory(built.traces(), built.excluded(), Map.of(), stats), 6);
        }
        assertThat(found).isGreaterThan(20);
    }

    private static int given(Trace trace) {
        for (int i = 0; i < trace.lossMask().length; i++) {
            if (trace.lossMask()[i] == 0) {
                return i;
            }
        }
        return -1;
    }

    /** A copy with another value; at -1, one that is an element short. */
    private static int[] ids(int[] values, int at, int value) {
        if (at < 0) {
            return java.util.Arrays.copyOf(values, values.length - 1);
        }
        var copy = values.clone();
        copy[at] = value;
        return copy;
    }

    private static Trace with(Trace trace, int[] mask, double[] logprobs) {
        return new Trace(
                trace.promptIds(),
                trace.responseIds(),
                mask,
                List.of(),
                List.of(),
                null,
                "stop",
                logprobs,
                null,
                trace.metadata());
    }

    private static Trace prompted(Trace trace, int[] prompt) {
        return new Trace(
                prompt,
                trace.responseIds(),
                trace.lossMask(),
                List.of(),
                List.of(),
                null,
                "stop",
                trace.responseLogprobs(),
                null,
                trace.metadata());
    }

    private static void broken(Session session, BuiltTrajectory built, int number, UnaryOperator<Trace> change) {
        var traces = new ArrayList<>(built.traces());
        traces.set(0, change.apply(traces.getFirst()));
        assertBroken(
                session,
                new BuiltTrajectory(traces, built.excluded(), built.builderConfig(), built.reconstructionStats()),
                number);
    }

    private static void assertBroken(Session session, BuiltTrajectory built, int number) {
        var broken = catchThrowableOfType(
                SixInvariants.Broken.class, () -> SixInvariants.check(session.calls, session.failedCalls, built));
        assertThat(broken).as("invariant %d", number).isNotNull();
        assertThat(broken.number).isEqualTo(number);
    }
}
