package dev.polar.trajectory;

import dev.polar.spi.Check;
import java.util.List;

/**
 * {@code builder.config} of {@code prefix_merging}.
 *
 * @param merge which tails are merged; default exact
 * @param includeRoles default {@code main} and {@code subagent}
 * @param includeUndelivered default false
 * @param includeSuperseded default true
 * @param endOfTurnTokenId null: the node's, the engine's, or learned
 */
public record PrefixMergingConfig(
        Merge merge,
        List<String> includeRoles,
        Boolean includeUndelivered,
        Boolean includeSuperseded,
        Integer endOfTurnTokenId) {
    public static final PrefixMergingConfig DEFAULT = new PrefixMergingConfig(null, null, null, null, null);

    public PrefixMergingConfig {
        merge = Check.orElse(merge, Merge.EXACT);
        includeRoles = Check.list(Check.orElse(includeRoles, PerRequestConfig.ROLES));
        includeUndelivered = Check.orElse(includeUndelivered, false);
        includeSuperseded = Check.orElse(includeSuperseded, true);
        Check.within(EndOfTurn.KEY, endOfTurnTokenId, 0, Integer.MAX_VALUE);
    }
}
