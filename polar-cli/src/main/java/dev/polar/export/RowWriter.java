package dev.polar.export;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Writes rows into a file. */
interface RowWriter extends AutoCloseable {
    /** Opens a file that is not there yet. */
    static RowWriter open(FileType type, Path file, List<Column> columns) throws IOException {
        return switch (type) {
            case JSONL -> new JsonlWriter(file);
            case PARQUET -> new ParquetRowWriter(file, columns);
        };
    }

    void write(Map<String, Object> row) throws IOException;

    @Override
    void close() throws IOException;
}
