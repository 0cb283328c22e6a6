package dev.polar.rollout;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.polar.wire.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A JSON body that holds results as they stand in their files: its length is known before it is written, and none of it is in memory. */
final class TaskDocument {
    private sealed interface Piece {
        long length();

        InputStream open() throws IOException;
    }

    private record Text(byte[] bytes) implements Piece {
        @Override
        public long length() {
            return bytes.length;
        }

        @Override
        public InputStream open() {
            return new java.io.ByteArrayInputStream(bytes);
        }
    }

    private record Stored(Path file, long length) implements Piece {
        @Override
        public InputStream open() throws IOException {
            return Files.newInputStream(file);
        }
    }

    private final List<Piece> pieces = new ArrayList<>();

    private TaskDocument() {}

    /**
     * @param head the keys before {@code results}
     * @param results in order: each a file's path or JSON text
     * @param paths {@code result_paths}
     * @throws IOException where a file is not there
     */
    static TaskDocument of(Map<String, Object> head, List<KeptResult> results, List<String> paths) throws IOException {
        var document = new TaskDocument();
        var start = json(head);
        document.text(start.substring(0, start.length() - 1) + ",\"results\":[");
        var separator = "";
        for (var result : results) {
            document.text(separator);
            separator = ",";
            if (result.path() == null) {
                document.text(result.inline());
            } else {
                var file = Path.of(result.path());
                document.pieces.add(new Stored(file, Files.size(file)));
            }
        }
        document.text("],\"result_paths\":" + json(paths) + "}");
        return document;
    }

    /** In bytes. */
    long length() {
        return pieces.stream().mapToLong(Piece::length).sum();
    }

    void writeTo(OutputStream out) throws IOException {
        for (var piece : pieces) {
            try (var in = piece.open()) {
                in.transferTo(out);
            }
        }
    }

    /** The whole as a stream; opens one file at a time. */
    InputStream open() {
        var next = pieces.iterator();
        return new SequenceInputStream(new java.util.Enumeration<>() {
            @Override
            public boolean hasMoreElements() {
                return next.hasNext();
            }

            @Override
            public InputStream nextElement() {
                try {
                    return next.next().open();
                } catch (IOException gone) {
                    throw new java.io.UncheckedIOException(gone);
                }
            }
        });
    }

    private void text(String text) {
        if (!text.isEmpty()) {
            pieces.add(new Text(text.getBytes(StandardCharsets.UTF_8)));
        }
    }

    private static String json(Object value) {
        try {
            return Json.MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
