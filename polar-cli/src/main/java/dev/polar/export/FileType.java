package dev.polar.export;

import java.util.Locale;

/** The kinds of files that rows are written to. */
public enum FileType {
    /** One JSON object per line. */
    JSONL,
    /** Columns, compressed. */
    PARQUET;

    /** As it is written on the command line; the files' extension. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
