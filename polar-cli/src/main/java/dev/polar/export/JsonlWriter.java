package dev.polar.export;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.polar.wire.Json;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;

/** One JSON object per line. */
final class JsonlWriter implements RowWriter {
    private final JsonGenerator out;

    JsonlWriter(Path file) throws IOException {
        out = Json.MAPPER
                .getFactory()
                .createGenerator(
                        new BufferedOutputStream(
                                Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                                1 << 16),
                        JsonEncoding.UTF8);
        out.setRootValueSeparator(null);
    }

    @Override
    public void write(Map<String, Object> row) throws IOException {
        Json.MAPPER.writeValue(out, row);
        out.writeRaw('\n');
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
