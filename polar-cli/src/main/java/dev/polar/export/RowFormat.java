package dev.polar.export;

import dev.polar.result.SessionHead;
import dev.polar.result.SessionTrace;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How a trace is written as a row. Not thread-safe: a format may number what it writes. */
interface RowFormat {
    List<Column> columns();

    /** A row, or why there is none. */
    sealed interface Outcome {}

    /** @param values by column; in the columns' order */
    record Row(Map<String, Object> values) implements Outcome {}

    /** @param reason one word, for the summary */
    record LeftOut(String reason) implements Outcome {}

    /** Why nothing of this session can be written, in one word; empty where it can. */
    default Optional<String> refuses(SessionHead session) {
        return Optional.empty();
    }

    Outcome row(SessionTrace trace);
}
