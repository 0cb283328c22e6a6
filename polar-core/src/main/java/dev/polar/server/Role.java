package dev.polar.server;

import dev.polar.spi.InvalidValueException;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** What a process can be, in the order in which they start. */
public enum Role {
    ROLLOUT(Role.ROLLOUT_BASE),
    GATEWAY(Role.GATEWAY_BASE);

    /** First path segment of the rollout server's resources; seen only inside the process. */
    public static final String ROLLOUT_BASE = "-rollout";

    /** First path segment of the gateway's resources; seen only inside the process. */
    public static final String GATEWAY_BASE = "-gateway";

    private final String base;

    Role(String base) {
        this.base = base;
    }

    /** The first path segment of its resources. */
    public String base() {
        return base;
    }

    /**
     * The roles that a word of {@code polar.role} means.
     *
     * @throws InvalidValueException for a word that is none of rollout, gateway, all
     */
    public static Set<Role> of(String word) {
        return switch (word.strip().toLowerCase(Locale.ROOT)) {
            case "rollout" -> EnumSet.of(ROLLOUT);
            case "gateway" -> EnumSet.of(GATEWAY);
            case "all" -> EnumSet.allOf(Role.class);
            default -> throw new InvalidValueException("polar.role", "'" + word + "' is none of rollout, gateway, all");
        };
    }
}
