package dev.polar.trajectory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.polar.capture.Detokenizer;
import dev.polar.capture.RecordStore;
import dev.polar.capture.RecordedCalls;
import dev.polar.capture.SealedRecord;
import dev.polar.spi.BuiltTrajectory;
import dev.polar.spi.Trace;
import dev.polar.topology.GatewayConfig.Fsync;
import dev.polar.topology.GatewayConfig.Persistence;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Made-up sessions, built, against the rules word by word. */
class TrajectoryPropertiesTest {
    /** More with {@code -Dpolar.property.cases=10000}. */
    private static final int CASES = Integer.getInteger("polar.property.cases", 1_500);

    private static final List<String> SPAN_KEYS = List.of(
            "completion_id",
            "start",
            "end",
            "tail",
            "parent",
            "context",
            "break",
            "stop_differs",
            "superseded_by",
            "included_by",
            "role",
            "agent");
    private static final Detokenizer TEXTS =
            sequences -> Optional.of(sequences.stream().map(RuleBook::text).toList());

    private record Session(SealedRecord record, List<RuleBook.Call> calls) {}

    private static Session session(long seed, OptionalInt endOfTurn) {
        var store = new RecordStore(null, new Persistence(false, 64, 1, 16, 1, 0.0, Fsync.NONE));
        var recorded = new RecordedCalls(store.create("s" + seed, "t"));
        var made = new CallTrees(seed, recorded);
        made.make();
        return new Session(recorded.seal(endOfTurn, TEXTS), made.calls());
    }

    @Test
    void prefix_merging_builds_what_the_rules_say() {
        for (int seed = 0; seed < CASES; seed++) {
            var session = session(seed, OptionalInt.of(CallTrees.END_OF_TURN));
            for (var merge : Merge.values()) {
                boolean undelivered = seed % 7 == 0;
                boolean superseded = seed % 3 != 0;
                var config = new PrefixMergingConfig(merge, null, undelivered, superseded, null);
                var expected = new RuleBook(
                                session.calls,
                                CallTrees.END_OF_TURN,
                                merge.wire(),
                                undelivered,
                                superseded,
                                config.includeRoles())
                        .build();
                var built = TrajectoryAssembler.build(new PrefixMergingBuilder(), session.record, config);
                compare("seed " + seed + ", merge " + merge.wire(), built, expected);
            }
        }
    }

    @Test
    void without_an_end_of_turn_id_only_exact_tails_merge() {
        for (int seed = 0; seed < 500; seed++) {
            var session = session(seed, OptionalInt.empty());
            var learned = session.record.endOfTurnTokenId();
            var id = learned.isPresent() ? learned.getAsInt() : null;
            var expected = new RuleBook(
                            session.calls, id, "any", false, true, PrefixMergingConfig.DEFAULT.includeRoles())
                    .build();
            var config = new PrefixMergingConfig(Merge.ANY, null, null, null, null);
            var built = TrajectoryAssembler.build(new PrefixMergingBuilder(), session.record, config);
            compare("seed " + seed + ", learned " + id, built, expected);
        }
    }

    @Test
    void per_request_builds_one_trace_for_each_completion_that_the_rules_include() {
        for (int seed = 0; seed < CASES / 2; seed++) {
            var session = session(seed, OptionalInt.of(CallTrees.END_OF_TURN));
            var expected = new RuleBook(
                            session.calls, CallTrees.END_OF_TURN, "exact", false, true, PerRequestConfig.ROLES)
                    .build();
            var built = TrajectoryAssembler.build(new PerRequestBuilder(), session.record, PerRequestConfig.DEFAULT);

            assertThat(excluded(built)).as("seed %d", seed).isEqualTo(expected.excluded());
            var byId = new HashMap<String, RuleBook.Call>();
            session.calls.forEach(call -> byId.put(call.id(), call));
            for (var trace : built.traces()) {
                var span = Records.spans(trace).getFirst();
                var call = byId.get(span.get("completion_id"));
                assertThat(trace.promptIds()).isEqualTo(call.prompt());
                assertThat(trace.responseIds()).isEqualTo(call.sampled());
                assertThat(trace.responseLogprobs()).isEqualTo(call.logprobs());
                assertThat(trace.lossMask()).containsOnly(1);
                assertThat(span).containsEntry("tail", "first").containsEntry("break", "first");
            }
        }
    }

    @Test
    void the_record_names_every_answer_that_came_back_as_the_same_text() {
        int found = 0;
        for (int seed = 0; seed < CASES; seed++) {
            var session = session(seed, OptionalInt.of(CallTrees.END_OF_TURN));
            var rules =
                    new RuleBook(session.calls, CallTrees.END_OF_TURN, "exact", false, true, PerRequestConfig.ROLES);
            for (int i = 0; i < session.calls.size(); i++) {
                var expected = rules.retokenizedOf(session.calls.get(i));
                var completion = session.record.completions().get(i);
                assertThat(completion.retokenizedOf().stream().sorted().toList())
                        .as("seed %d, completion %s", seed, completion.id())
                        .isEqualTo(expected);
                found += expected.size();
            }
        }
        assertThat(found).isGreaterThan(CASES / 6);
    }

    private static Map<String, String> excluded(BuiltTrajectory built) {
        var excluded = new LinkedHashMap<String, String>();
        built.excluded().forEach(exclusion -> excluded.put(exclusion.completionId(), exclusion.reason()));
        return excluded;
    }

    private static void compare(String what, BuiltTrajectory built, RuleBook.Expected expected) {
        assertThat(excluded(built)).as(what).isEqualTo(expected.excluded());
        assertThat(built.traces().stream().map(TrajectoryPropertiesTest::spans).toList())
                .as(what)
                .isEqualTo(expected.traces().stream()
                        .map(RuleBook.ExpectedTrace::spans)
                        .toList());
        for (int i = 0; i < built.traces().size(); i++) {
            var trace = built.traces().get(i);
            var wanted = expected.traces().get(i);
            assertThat(trace.promptIds()).as(what).isEqualTo(wanted.prompt());
            assertThat(trace.responseIds()).as(what).isEqualTo(wanted.response());
            assertThat(trace.lossMask()).as(what).isEqualTo(wanted.mask());
            assertThat(trace.responseLogprobs()).as(what).isEqualTo(wanted.logprobs());
            assertThat(trace.metadata().get("parent_trace")).as(what).isEqualTo(wanted.parentTrace());
            assertThat(trace.metadata().get("shared_prefix_tokens")).as(what).isEqualTo(wanted.shared());
        }
        compareStats(what, built);
    }

    private static List<Map<String, Object>> spans(Trace trace) {
        var spans = new ArrayList<Map<String, Object>>();
        for (var span : Records.spans(trace)) {
            var known = new HashMap<>(span);
            known.keySet().retainAll(SPAN_KEYS);
            spans.add(known);
        }
        return spans;
    }

    private static void compareStats(String what, BuiltTrajectory built) {
        var stats = built.reconstructionStats();
        long spans = built.traces().stream()
                .mapToLong(trace -> Records.spans(trace).size())
                .sum();
        long left = List.of("undelivered", "auxiliary", "untrainable", "empty", "superseded").stream()
                .mapToLong(kind -> ((Number) stats.get("completions_" + kind)).longValue())
                .sum();
        assertThat(((Number) stats.get("raw_completions_total")).longValue())
                .as(what)
                .isEqualTo(spans + left);
        assertThat(((Number) stats.get("chains_total")).intValue())
                .as(what)
                .isEqualTo(built.traces().size());
    }
}
