package dev.polar.trajectory;

import dev.polar.capture.PrefixWalk;
import dev.polar.capture.RecordedCompletion;
import dev.polar.capture.SealedRecord;
import dev.polar.capture.TailClass;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The chains that the included completions make: each one's parent, and of a parent's children the one that goes on. Every walk goes up from a prompt to its prefixes and stops at the
 * first that answers, so the work is linear in the ids received.
 */
final class Chains {
    /**
     * How a completion goes on from an earlier prompt's answer.
     *
     * @param explained ids of its prompt, behind the earlier one's, that the answer explains; -1 for none
     */
    record Link(RecordedCompletion earlier, TailClass tail, int explained) {
        /** The best is the greatest. */
        static final Comparator<Link> BEST = Comparator.comparingInt(Link::explained)
                .thenComparing(Link::tail, Comparator.reverseOrder())
                .thenComparingInt(link -> link.earlier.index());
    }

    private final Inclusion inclusion;
    private final Merge merge;
    private final Link[] parents;
    private final RecordedCompletion[] next;

    Chains(SealedRecord record, Inclusion inclusion, Merge merge) {
        this.inclusion = inclusion;
        this.merge = merge;
        this.parents = new Link[record.completions().size()];
        this.next = new RecordedCompletion[parents.length];
        var included = inclusion.included();
        included.forEach(completion -> parents[completion.index()] = findParent(completion));
        chooseNext(included);
    }

    /** What {@code completion} goes on from. */
    Optional<Link> parent(RecordedCompletion completion) {
        return Optional.ofNullable(parents[completion.index()]);
    }

    /** The child that continues the chain. */
    Optional<RecordedCompletion> next(RecordedCompletion completion) {
        return Optional.ofNullable(next[completion.index()]);
    }

    /** True where it opens a trace. */
    boolean opens(RecordedCompletion completion) {
        var parent = parents[completion.index()];
        return parent == null || next[parent.earlier.index()] != completion;
    }

    /** The chain that a completion opens. */
    List<RecordedCompletion> from(RecordedCompletion first) {
        var chain = new ArrayList<RecordedCompletion>();
        for (var completion = first; completion != null; completion = next[completion.index()]) {
            chain.add(completion);
        }
        return chain;
    }

    private Link findParent(RecordedCompletion completion) {
        var walk = new PrefixWalk(completion.prompt());
        while (walk.up()) {
            Link best = null;
            for (var earlier : walk.prompt().completions()) {
                if (inclusion.includes(earlier) && earlier.agent().equals(completion.agent())) {
                    best = better(best, link(walk, earlier), this::merges);
                }
            }
            if (best != null) {
                return best;
            }
        }
        return null;
    }

    private static Link link(PrefixWalk walk, RecordedCompletion earlier) {
        var tail = walk.tail(earlier);
        return new Link(earlier, tail, walk.explained(earlier, tail));
    }

    /** The same text in other ids is decided among one agent's calls only. */
    private static Link ofAnotherAgent(PrefixWalk walk, RecordedCompletion earlier, RecordedCompletion later) {
        var tail = earlier.isContinuedBy(later.prompt()) ? TailClass.EXACT : TailClass.REWRITTEN;
        return new Link(earlier, tail, walk.explained(earlier, tail));
    }

    private boolean merges(Link link) {
        return merge.takes(link.tail) && link.explained >= 0;
    }

    private static Link better(Link best, Link link, Predicate<Link> allowed) {
        if (!allowed.test(link)) {
            return best;
        }
        return best == null || Link.BEST.compare(link, best) > 0 ? link : best;
    }

    /** Of the children, the one with the longest line below it; of equal ones the earliest. Longest prompts first, so that a child's line is known before its parent's. */
    private void chooseNext(List<RecordedCompletion> included) {
        var line = new int[parents.length];
        var longestFirst = included.stream()
                .sorted(Comparator.comparingInt(RecordedCompletion::promptLength)
                        .reversed())
                .toList();
        for (var completion : longestFirst) {
            line[completion.index()]++;
            var parent = parents[completion.index()];
            if (parent == null) {
                continue;
            }
            int above = parent.earlier.index();
            var chosen = next[above];
            int longer = chosen == null ? 1 : line[completion.index()] - line[chosen.index()];
            if (longer > 0 || longer == 0 && completion.index() < chosen.index()) {
                next[above] = completion;
                line[above] = line[completion.index()];
            }
        }
    }

    /** The latest later completion of the agent that has the same prompt and a child, where {@code completion} has none. */
    Optional<RecordedCompletion> supersededBy(RecordedCompletion completion) {
        if (next[completion.index()] != null) {
            return Optional.empty();
        }
        var same = completion.prompt().completions();
        for (int i = same.size() - 1; i >= 0 && same.get(i).index() > completion.index(); i--) {
            var later = same.get(i);
            if (next[later.index()] != null && sameAgent(completion, later)) {
                return Optional.of(later);
            }
        }
        return Optional.empty();
    }

    /** True where an earlier completion of the agent has the same prompt. */
    boolean repeatsPrompt(RecordedCompletion completion) {
        for (var earlier : completion.prompt().completions()) {
            if (earlier.index() >= completion.index()) {
                return false;
            }
            if (sameAgent(completion, earlier)) {
                return true;
            }
        }
        return false;
    }

    private boolean sameAgent(RecordedCompletion completion, RecordedCompletion other) {
        return inclusion.includes(other) && other.agent().equals(completion.agent());
    }

    /** The best answer to the longest prompt that is a proper prefix, merged or not: the agent's own, else another's. */
    Optional<Link> nearest(RecordedCompletion completion) {
        Link others = null;
        var walk = new PrefixWalk(completion.prompt());
        while (walk.up()) {
            Link own = null;
            Link other = null;
            for (var earlier : walk.prompt().completions()) {
                if (!inclusion.includes(earlier)) {
                    continue;
                }
                if (earlier.agent().equals(completion.agent())) {
                    own = better(own, link(walk, earlier), any -> true);
                } else {
                    other = better(other, ofAnotherAgent(walk, earlier, completion), any -> true);
                }
            }
            if (own != null) {
                return Optional.of(own);
            }
            others = others == null ? other : others;
        }
        return Optional.ofNullable(others);
    }
}
