package dev.polar.runtime.local;

import dev.polar.spi.Check;
import java.util.List;

/**
 * {@code plugins.config.runtime-local}.
 *
 * @param bubblewrap {@code auto} (default: where it works), {@code always} or {@code never}
 * @param inherit names of the server's environment variables that sessions see; default: the path, locale and time zone
 * @param hide folders that sessions do not see, besides the node's own; needs bubblewrap
 */
public record LocalConfig(BubblewrapUse bubblewrap, List<String> inherit, List<String> hide) {
    private static final List<String> INHERITED = List.of("PATH", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ");

    public LocalConfig {
        bubblewrap = Check.orElse(bubblewrap, BubblewrapUse.AUTO);
        inherit = inherit == null ? INHERITED : Check.list(inherit);
        hide = Check.list(hide);
    }
}
