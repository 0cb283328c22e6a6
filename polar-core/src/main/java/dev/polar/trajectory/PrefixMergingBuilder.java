package dev.polar.trajectory;

import dev.polar.capture.RecordedCompletion;
import dev.polar.spi.BuiltTrajectory;
import dev.polar.spi.SessionRecord;
import dev.polar.spi.Trace;
import dev.polar.spi.TrajectoryBuilder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** {@code prefix_merging}: completions whose prompts go on from one another's answers become one trace. */
public final class PrefixMergingBuilder implements TrajectoryBuilder<PrefixMergingConfig> {
    public static final String NAME = "prefix_merging";

    @Override
    public Set<String> names() {
        return Set.of(NAME);
    }

    @Override
    public Class<PrefixMergingConfig> configType() {
        return PrefixMergingConfig.class;
    }

    @Override
    public BuiltTrajectory build(SessionRecord record, PrefixMergingConfig config) {
        var sealed = Records.sealed(record, config.endOfTurnTokenId());
        var inclusion = Inclusion.decide(sealed, config.includeRoles(), config.includeUndelivered());
        var chains = new Chains(sealed, inclusion, config.merge());
        var superseded = new HashMap<RecordedCompletion, RecordedCompletion>();
        for (var completion : inclusion.included()) {
            chains.supersededBy(completion).ifPresent(by -> superseded.put(completion, by));
        }
        if (!config.includeSuperseded()) {
            superseded.keySet().forEach(completion -> inclusion.leaveOut(completion, Inclusion.SUPERSEDED));
        }
        var traces = new Traces(inclusion, chains, superseded).make();
        return new BuiltTrajectory(
                traces,
                inclusion.exclusions(),
                inForce(config, record),
                ReconstructionStats.of(record, inclusion, traces));
    }

    private static Map<String, Object> inForce(PrefixMergingConfig config, SessionRecord record) {
        var inForce = new LinkedHashMap<String, Object>();
        inForce.put("merge", config.merge().wire());
        inForce.put("include_roles", config.includeRoles());
        inForce.put("include_undelivered", config.includeUndelivered());
        inForce.put("include_superseded", config.includeSuperseded());
        inForce.put(EndOfTurn.KEY, Records.endOfTurn(record));
        return inForce;
    }

    /** The chains, written down. */
    private record Traces(Inclusion inclusion, Chains chains, Map<RecordedCompletion, RecordedCompletion> superseded) {
        List<Trace> make() {
            var firsts = inclusion.included().stream().filter(chains::opens).toList();
            var traceOf = new HashMap<RecordedCompletion, Integer>();
            var traces = new ArrayList<Trace>();
            for (var first : firsts) {
                var chain = chains.from(first);
                chain.forEach(completion -> traceOf.put(completion, traces.size()));
                traces.add(trace(chain));
            }
            for (int i = 0; i < firsts.size(); i++) {
                traces.set(i, placed(firsts.get(i), traces, i, traceOf));
            }
            return traces;
        }

        private Trace trace(List<RecordedCompletion> chain) {
            var trace = TraceAssembly.of(chain.stream().map(this::step).toList());
            for (int i = 0; i < chain.size(); i++) {
                describe(Records.spans(trace).get(i), chain.get(i));
            }
            return trace;
        }

        private TraceAssembly.Step step(RecordedCompletion completion) {
            if (chains.opens(completion)) {
                return new TraceAssembly.Step(completion, null, 0);
            }
            var parent = chains.parent(completion).orElseThrow();
            int from = parent.earlier().promptLength() + parent.explained();
            return new TraceAssembly.Step(completion, parent.tail(), from);
        }

        private void describe(Map<String, Object> span, RecordedCompletion completion) {
            chains.parent(completion).ifPresent(parent -> {
                span.put("parent", parent.earlier().id());
                if (!chains.opens(completion) && stopDiffers(parent)) {
                    span.put("stop_differs", true);
                }
            });
            if (superseded.containsKey(completion)) {
                span.put("superseded_by", superseded.get(completion).id());
            }
            if (inclusion.byContinuation(completion)) {
                span.put("included_by", "continuation");
            }
        }

        /** True where the answer before ended by another id than the one that the prompt has in its place. */
        private static boolean stopDiffers(Chains.Link parent) {
            var earlier = parent.earlier();
            var sampled = earlier.responseIds();
            return switch (parent.tail()) {
                case EXACT -> false;
                case RETOKENIZED, REWRITTEN ->
                    earlier.endsWithStopId() && sampled[sampled.length - 1] != endOfTurn(earlier);
            };
        }

        private static int endOfTurn(RecordedCompletion completion) {
            return completion.record().endOfTurnTokenId().orElseThrow();
        }

        /** The trace with its break, and what it shares with the trace that it comes from. */
        private Trace placed(
                RecordedCompletion first, List<Trace> traces, int index, Map<RecordedCompletion, Integer> traceOf) {
            var trace = traces.get(index);
            var parent = chains.parent(first);
            var from = parent.isPresent() ? parent : chains.nearest(first);
            Records.spans(trace).getFirst().put("break", why(first, from.orElse(null), parent.isPresent()));
            if (from.isEmpty()) {
                return trace;
            }
            int other = traceOf.get(from.get().earlier());
            var metadata = new LinkedHashMap<>(trace.metadata());
            metadata.put("parent_trace", other);
            metadata.put("shared_prefix_tokens", shared(trace.promptIds(), traces.get(other)));
            return trace.withMetadata(metadata);
        }

        private String why(RecordedCompletion first, Chains.Link from, boolean hasParent) {
            if (hasParent) {
                var goesOn = chains.next(from.earlier()).orElseThrow();
                return goesOn.prompt() == first.prompt() ? "same_prompt" : "fork";
            }
            if (chains.repeatsPrompt(first)) {
                return "same_prompt";
            }
            if (from == null) {
                return "first";
            }
            return from.earlier().agent().equals(first.agent()) ? from.tail().wire() : "role";
        }

        private static int shared(int[] prompt, Trace other) {
            int inPrompt = Arrays.mismatch(prompt, other.promptIds());
            if (inPrompt < 0) {
                return prompt.length;
            }
            int before = other.promptIds().length;
            if (inPrompt < before) {
                return inPrompt;
            }
            int rest =
                    Arrays.mismatch(prompt, before, prompt.length, other.responseIds(), 0, other.responseIds().length);
            return rest < 0 ? prompt.length : before + rest;
        }
    }
}
