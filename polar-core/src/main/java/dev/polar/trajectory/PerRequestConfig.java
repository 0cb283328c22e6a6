package dev.polar.trajectory;

import dev.polar.spi.Check;
import java.util.List;

/**
 * {@code builder.config} of {@code per_request}.
 *
 * @param includeRoles default {@code main} and {@code subagent}
 * @param includeUndelivered default false
 * @param endOfTurnTokenId null: the node's, the engine's, or learned
 */
public record PerRequestConfig(List<String> includeRoles, Boolean includeUndelivered, Integer endOfTurnTokenId) {
    static final List<String> ROLES = List.of("main", "subagent");

    public static final PerRequestConfig DEFAULT = new PerRequestConfig(null, null, null);

    public PerRequestConfig {
        includeRoles = Check.list(Check.orElse(includeRoles, ROLES));
        includeUndelivered = Check.orElse(includeUndelivered, false);
        Check.within(EndOfTurn.KEY, endOfTurnTokenId, 0, Integer.MAX_VALUE);
    }
}
