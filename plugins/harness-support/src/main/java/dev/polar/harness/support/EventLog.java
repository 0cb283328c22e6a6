package dev.polar.harness.support;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.polar.spi.ExecResult;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** What an agent printed: one JSON object on each line, other lines between them. */
public final class EventLog {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int SHOWN_CHARACTERS = 2_000;

    private EventLog() {}

    /** Each event of a run's standard output, in order. A line that was cut where output was left out is passed over; the last ones, which decide, are kept. */
    public static void read(ExecResult run, Consumer<JsonNode> reader) {
        run.stdout().lines().filter(line -> line.startsWith("{")).forEach(line -> {
            try {
                reader.accept(JSON.readTree(line));
            } catch (JacksonException torn) {
                // said above
            }
        });
    }

    /** Those of {@code keys} that {@code event} has as scalars, under the same names. */
    public static Map<String, Object> scalars(JsonNode event, String... keys) {
        var told = new LinkedHashMap<String, Object>();
        for (var key : keys) {
            var value = event.path(key);
            if (value.isValueNode() && !value.isNull()) {
                told.put(key, JSON.convertValue(value, Object.class));
            }
        }
        return told;
    }

    /** The last line that a run printed, of standard error where there is something, shortened; the empty string where it printed nothing. */
    public static String lastLine(ExecResult run) {
        var said = run.stderr().isBlank() ? run.stdout() : run.stderr();
        return said.isBlank() ? "" : shortened(said.strip().lines().toList().getLast());
    }

    /** At most 2,000 characters of {@code text}. */
    public static String shortened(String text) {
        return text.length() <= SHOWN_CHARACTERS ? text : text.substring(0, SHOWN_CHARACTERS) + "…";
    }
}
