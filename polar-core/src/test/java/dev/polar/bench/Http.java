package dev.polar.bench;

import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;

/** As much of HTTP as a load run needs. */
final class Http {
    private Http() {}

    /** First line and body length of a message. */
    record Head(String firstLine, int contentLength) {}

    /** The next head, or null at the end of the stream. */
    static Head head(InputStream in) throws IOException {
        String first = null;
        int length = 0;
        while (true) {
            var line = line(in);
            if (line == null) {
                return null;
            }
            if (line.isEmpty()) {
                return new Head(first, length);
            }
            if (first == null) {
                first = line;
            } else if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                length = Integer.parseInt(line.substring(15).strip());
            }
        }
    }

    /** Up to the next line feed; null at the end of the stream. */
    static String line(InputStream in) throws IOException {
        var line = new StringBuilder(64);
        int next = in.read();
        if (next < 0) {
            return null;
        }
        while (next >= 0 && next != '\n') {
            if (next != '\r') {
                line.append((char) next);
            }
            next = in.read();
        }
        return line.toString();
    }
}
