package dev.polar.trajectory;

import dev.polar.capture.RecordedCompletion;
import dev.polar.spi.BuiltTrajectory;
import dev.polar.spi.SessionRecord;
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
        var made = new Traces(inclusion, chains, superseded).make();
        return new BuiltTrajectory(
                Records.traces(made),
                inclusion.exclusions(),
                inForce(config, record),
                ReconstructionStats.of(record, inclusion, made));
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

    /** The chains, with all that their traces say of them. */
    private record Traces(Inclusion inclusion, Chains chains, Map<RecordedCompletion, RecordedCompletion> superseded) {
        List<Chain> make() {
            var firsts = inclusion.included().stream().filter(chains::opens).toList();
            var traceOf = new HashMap<RecordedCompletion, Integer>();
            var made = new ArrayList<Chain>();
            for (var first : firsts) {
                var completions = chains.from(first);
                completions.forEach(completion -> traceOf.put(completion, made.size()));
                made.add(new Chain(completions.stream().map(this::step).toList(), Map.of()));
            }
            for (int i = 0; i < firsts.size(); i++) {
                made.set(i, placed(made.get(i), made, traceOf));
            }
            return made;
        }

        private Chain.Step step(RecordedCompletion completion) {
            var notes = notes(completion);
            if (chains.opens(completion)) {
                return new Chain.Step(completion, null, 0, notes);
            }
            var parent = chains.parent(completion).orElseThrow();
            int from = parent.earlier().promptLength() + parent.explained();
            return new Chain.Step(completion, parent.tail(), from, notes);
        }

        private Map<String, Object> notes(RecordedCompletion completion) {
            var notes = new LinkedHashMap<String, Object>();
            chains.parent(completion).ifPresent(parent -> {
                notes.put("parent", parent.earlier().id());
                if (!chains.opens(completion) && stopDiffers(parent)) {
                    notes.put("stop_differs", true);
                }
            });
            if (superseded.containsKey(completion)) {
                notes.put("superseded_by", superseded.get(completion).id());
            }
            if (inclusion.byContinuation(completion)) {
                notes.put("included_by", "continuation");
            }
            return notes;
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

        /** The chain with its break, and what it shares with the trace that it comes from. */
        private Chain placed(Chain chain, List<Chain> all, Map<RecordedCompletion, Integer> traceOf) {
            var first = chain.first();
            var parent = chains.parent(first);
            var from = parent.isPresent() ? parent : chains.nearest(first);
            chain.steps().getFirst().notes().put("break", why(first, from.orElse(null), parent.isPresent()));
            if (from.isEmpty()) {
                return chain;
            }
            int other = traceOf.get(from.get().earlier());
            var origin = new LinkedHashMap<String, Object>();
            origin.put("parent_trace", other);
            origin.put("shared_prefix_tokens", shared(first, all.get(other)));
            return new Chain(chain.steps(), origin);
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

        private static int shared(RecordedCompletion first, Chain other) {
            int length = first.promptLength();
            var theirs = other.ids(length);
            int difference = Arrays.mismatch(first.promptIds(), theirs);
            return difference < 0 ? length : difference;
        }
    }
}
