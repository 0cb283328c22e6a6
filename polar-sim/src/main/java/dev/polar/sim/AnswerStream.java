package dev.polar.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Takes an answer's text apart while it comes: what can no longer turn out to be a tag is passed on at once. Unlike {@link HermesParser}, which sees the end first, it
 * passes a call's arguments on as they are written, broken JSON included. Not thread-safe.
 */
final class AnswerStream {
    /** A piece of the answer. */
    sealed interface Piece {
        /** Thoughts. */
        record Reasoning(String text) implements Piece {}

        /** Text for the reader. */
        record Content(String text) implements Piece {}

        /** A call begins; calls are numbered from 0. */
        record CallName(int index, String name) implements Piece {}

        /** More of a call's arguments. */
        record CallArguments(int index, String text) implements Piece {}
    }

    private enum State {
        START,
        THINKING,
        AFTER_THINKING,
        CONTENT,
        CALL_NAME,
        CALL_KEY,
        CALL_ARGUMENTS,
        CALL_END
    }

    private static final Pattern NAME = Pattern.compile("\"name\"\\s*:\\s*\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern ARGUMENTS = Pattern.compile("\"arguments\"\\s*:\\s*(?=\\S)");

    private final boolean toolParser;
    private final StringBuilder pending = new StringBuilder();
    private State state;
    private int calls;
    private JsonExtent extent = new JsonExtent();
    private boolean thought;

    AnswerStream(boolean reasoningParser, boolean toolParser) {
        this.toolParser = toolParser;
        this.state = reasoningParser ? State.START : State.CONTENT;
    }

    /**
     * The pieces that {@code text} completes.
     *
     * @param last whether the answer ends here, so that nothing needs to be held back
     */
    List<Piece> append(String text, boolean last) {
        pending.append(text);
        List<Piece> out = new ArrayList<>();
        State before;
        do {
            before = state;
            switch (state) {
                case START -> start(last);
                case THINKING -> thinking(last, out);
                case AFTER_THINKING -> afterThinking(last);
                case CONTENT -> content(last, out);
                case CALL_NAME -> callName(out);
                case CALL_KEY -> callKey();
                case CALL_ARGUMENTS -> callArguments(last, out);
                case CALL_END -> callEnd();
            }
        } while (state != before);
        return out;
    }

    /** How many calls have begun. */
    int calls() {
        return calls;
    }

    private void start(boolean last) {
        String text = pending.toString().stripLeading();
        if (text.startsWith(HermesParser.OPEN_THINK)) {
            pending.delete(0, pending.indexOf(HermesParser.OPEN_THINK) + HermesParser.OPEN_THINK.length());
            state = State.THINKING;
        } else if (last || !HermesParser.OPEN_THINK.startsWith(text)) {
            state = State.CONTENT;
        }
    }

    /** The line breaks around the thoughts belong to the tags: those at the end are held back until it is clear that they are not the last. */
    private void thinking(boolean last, List<Piece> out) {
        if (!thought) {
            dropLineBreaks();
        }
        int end = pending.indexOf(HermesParser.CLOSE_THINK);
        int until = end >= 0 ? end : pending.length() - (last ? 0 : held(HermesParser.CLOSE_THINK));
        while (until > 0 && pending.charAt(until - 1) == '\n') {
            until--;
        }
        if (until > 0) {
            out.add(new Piece.Reasoning(pending.substring(0, until)));
            thought = true;
        }
        if (end >= 0) {
            pending.delete(0, end + HermesParser.CLOSE_THINK.length());
            state = State.AFTER_THINKING;
        } else {
            pending.delete(0, until);
        }
    }

    private void afterThinking(boolean last) {
        dropLineBreaks();
        if (last || !pending.isEmpty()) {
            state = State.CONTENT;
        }
    }

    private void content(boolean last, List<Piece> out) {
        int open = toolParser ? pending.indexOf(HermesParser.OPEN_CALL) : -1;
        int until = open >= 0 ? open : pending.length() - (last || !toolParser ? 0 : held(HermesParser.OPEN_CALL));
        if (until > 0 && calls == 0) {
            out.add(new Piece.Content(pending.substring(0, until)));
        }
        pending.delete(0, until);
        if (open >= 0) {
            pending.delete(0, HermesParser.OPEN_CALL.length());
            state = State.CALL_NAME;
        }
    }

    private void callName(List<Piece> out) {
        Matcher name = NAME.matcher(call());
        if (name.find()) {
            out.add(new Piece.CallName(calls++, name.group(1)));
            pending.delete(0, name.end());
            state = State.CALL_KEY;
        } else if (pending.indexOf(HermesParser.CLOSE_CALL) >= 0) {
            state = State.CALL_END;
        }
    }

    private void callKey() {
        Matcher key = ARGUMENTS.matcher(call());
        if (key.find()) {
            pending.delete(0, key.end());
            extent = new JsonExtent();
            state = State.CALL_ARGUMENTS;
        } else if (pending.indexOf(HermesParser.CLOSE_CALL) >= 0) {
            state = State.CALL_END;
        }
    }

    /** What there is of the call, up to its closing tag. */
    private CharSequence call() {
        int close = pending.indexOf(HermesParser.CLOSE_CALL);
        return close < 0 ? pending : pending.subSequence(0, close);
    }

    private void callArguments(boolean last, List<Piece> out) {
        int close = pending.indexOf(HermesParser.CLOSE_CALL);
        int until = close >= 0 ? close : pending.length() - (last ? 0 : held(HermesParser.CLOSE_CALL));
        int taken = extent.take(pending, until);
        if (taken > 0) {
            out.add(new Piece.CallArguments(calls - 1, pending.substring(0, taken)));
            pending.delete(0, taken);
        }
        if (extent.complete() || close >= 0) {
            state = State.CALL_END;
        }
    }

    private void callEnd() {
        int close = pending.indexOf(HermesParser.CLOSE_CALL);
        if (close >= 0) {
            pending.delete(0, close + HermesParser.CLOSE_CALL.length());
            state = State.CONTENT;
        }
    }

    private void dropLineBreaks() {
        int breaks = 0;
        while (breaks < pending.length() && pending.charAt(breaks) == '\n') {
            breaks++;
        }
        pending.delete(0, breaks);
    }

    /** How many characters at the end may be the beginning of {@code tag}. */
    private int held(String tag) {
        for (int length = Math.min(tag.length() - 1, pending.length()); length > 0; length--) {
            if (tag.startsWith(pending.substring(pending.length() - length))) {
                return length;
            }
        }
        return 0;
    }
}
