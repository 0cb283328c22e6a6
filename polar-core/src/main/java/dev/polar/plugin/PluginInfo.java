package dev.polar.plugin;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.polar.spi.Check;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One jar of the plugin folder, or what the server brings itself.
 *
 * @param id from the manifest; the file's name where none could be read
 * @param version from the manifest, or null
 * @param file the jar's name in the plugin folder, or null for what is built in
 * @param state whether it can be used
 * @param reason why it cannot, or what is wrong with it besides; null where all is well
 * @param names what it claims, by kind
 */
public record PluginInfo(
        String id, String version, String file, State state, String reason, Map<Kind, List<String>> names) {
    /** The id under which the server's own extensions are listed. */
    public static final String BUILT_IN = "built-in";

    public PluginInfo {
        names = Check.map(names);
    }

    /** Whether a plugin can be used. */
    public enum State {
        LOADED,
        FAILED,
        DISABLED;

        @JsonValue
        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
