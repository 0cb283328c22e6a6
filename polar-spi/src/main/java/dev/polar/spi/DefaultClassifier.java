package dev.polar.spi;

import java.util.List;

/** The classifier of a harness that has none of its own. */
public final class DefaultClassifier {
    /** A call without tools and with at most this many output tokens, among calls with tools, is auxiliary. */
    static final int AUXILIARY_MAX_TOKENS = 16;

    private DefaultClassifier() {}

    /** Auxiliary is a call that has no tools while the session's other calls have, and an output limit of at most 16; all else is the main agent's. */
    public static List<CallLabel> classify(List<CallFacts> calls) {
        boolean tools = calls.stream().anyMatch(call -> !call.tools().isEmpty());
        return calls.stream()
                .map(call -> tools
                                && call.tools().isEmpty()
                                && call.maxTokens().orElse(Integer.MAX_VALUE) <= AUXILIARY_MAX_TOKENS
                        ? CallLabel.AUXILIARY
                        : CallLabel.MAIN)
                .toList();
    }
}
