package dev.polar.capture;

/**
 * Walks from a prompt up to its proper prefixes, longest first, and tells at each how the prompt gives an answer to the prefix back. Each step takes constant time. Not thread-safe.
 */
public final class PrefixWalk {
    private final Prompt from;
    private Prompt at;
    /** Where the first end of turn behind {@code at} stands; null before there is one. */
    private Prompt turn;

    public PrefixWalk(Prompt from) {
        this.from = from;
        this.at = from;
    }

    /** Goes on to the next shorter prompt that has answers; false where there is none. */
    public boolean up() {
        if (at.isRoot()) {
            return false;
        }
        if (at.endOfTurn() >= 0) {
            turn = at;
        }
        at = at.parent();
        return !at.isRoot();
    }

    /** The prefix that the walk has come to. */
    public Prompt prompt() {
        return at;
    }

    /** The prompt, this or one on the way to it, in which the turn behind the prefix ends; null where none ends. */
    public Prompt turn() {
        return turn;
    }

    /** The position in the whole prompt of the first end-of-turn id behind the prefix, or -1. */
    public int endOfTurn() {
        return turn == null ? -1 : turn.endOfTurn();
    }

    /** How the prompt gives back {@code answer}, which is one to {@link #prompt}. */
    public TailClass tail(RecordedCompletion answer) {
        return tail(answer, from, turn);
    }

    /** How {@code later} gives back an answer to one of its prefixes, behind which the turn ends in {@code turn} (null: in none). */
    public static TailClass tail(RecordedCompletion answer, Prompt later, Prompt turn) {
        if (answer.isContinuedBy(later)) {
            return TailClass.EXACT;
        }
        boolean sameText = turn != null && turn.retokenized().contains(answer);
        return sameText ? TailClass.RETOKENIZED : TailClass.REWRITTEN;
    }

    /**
     * How many ids behind the prefix the answer explains where it is taken as {@code tail}; what follows is interstitial. -1 where such a tail explains nothing, because no turn ends there.
     */
    public int explained(RecordedCompletion answer, TailClass tail) {
        return explained(answer, tail, turn);
    }

    /** As {@link #explained(RecordedCompletion, TailClass)}, for a turn that ends in {@code turn} (null: in none). */
    public static int explained(RecordedCompletion answer, TailClass tail, Prompt turn) {
        if (tail == TailClass.EXACT) {
            return answer.responseLength();
        }
        if (turn == null) {
            return -1;
        }
        return turn.endOfTurn() - answer.promptLength() + (answer.endsWithStopId() ? 1 : 0);
    }
}
