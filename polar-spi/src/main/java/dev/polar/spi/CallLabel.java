package dev.polar.spi;

/**
 * Whose call a model call was.
 *
 * @param role {@code main}, {@code subagent}, {@code auxiliary}, or a harness's own
 * @param agent tells sub-agents apart; null is the main agent
 * @param segmentKind {@code compaction}, {@code resumed}, or null
 */
public record CallLabel(String role, String agent, String segmentKind) {
    public static final CallLabel MAIN = new CallLabel("main", null, null);
    public static final CallLabel AUXILIARY = new CallLabel("auxiliary", null, null);
}
