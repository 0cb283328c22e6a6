package dev.polar.inference;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * The data of a server-sent event stream (WHATWG HTML, "Server-sent events"), read as bytes: where the connection cut them does not matter. An event's lines of data are joined by a line feed;
 * names, ids and comments are passed over. Not thread-safe.
 */
final class EventStream {
    private static final byte[] DATA = {'d', 'a', 't', 'a', ':'};
    private static final int START = 16_384;

    private final InputStream in;
    private final long limit;
    private byte[] buffer = new byte[START];
    private int read;
    private int end;
    private byte[] joined = new byte[0];
    private int joinedEnd;
    private boolean some;

    /** Takes an event's data; {@code buffer} belongs to the reader. */
    interface Handler {
        /** @return false where nothing more is wanted */
        boolean event(byte[] buffer, int offset, int length) throws IOException;
    }

    /** @param limit bytes that one line, and the data of one event, may have */
    EventStream(InputStream in, long limit) {
        this.in = in;
        this.limit = limit;
    }

    /**
     * Hands over each event's data until there is no more, or no more is wanted.
     *
     * @return false where the stream ended first
     * @throws IOException where the connection broke, or a line or an event is over the limit
     */
    boolean forEach(Handler handler) throws IOException {
        int scanned = 0;
        while (true) {
            for (int i = read + scanned; i < end; i++) {
                if (buffer[i] == '\n' || buffer[i] == '\r' && i + 1 < end) {
                    int next = buffer[i] == '\r' && buffer[i + 1] == '\n' ? i + 2 : i + 1;
                    if (!line(read, i, handler)) {
                        return true;
                    }
                    read = next;
                    i = next - 1;
                }
            }
            // a carriage return at the end may be the first half of a line's end
            scanned = end - read - (end > read && buffer[end - 1] == '\r' ? 1 : 0);
            room();
            int got = in.read(buffer, end, buffer.length - end);
            if (got < 0) {
                return false;
            }
            end += got;
        }
    }

    private void room() throws IOException {
        if (read == end) {
            read = 0;
            end = 0;
        } else if (end == buffer.length && read > 0) {
            System.arraycopy(buffer, read, buffer, 0, end - read);
            end -= read;
            read = 0;
        }
        if (end == buffer.length) {
            if (end >= limit) {
                throw new IOException("a line of the stream is longer than " + limit + " bytes");
            }
            buffer = Arrays.copyOf(buffer, end * 2);
        }
    }

    private boolean line(int from, int to, Handler handler) throws IOException {
        if (from == to) {
            if (!some) {
                return true;
            }
            some = false;
            int length = joinedEnd;
            joinedEnd = 0;
            return handler.event(joined, 0, length);
        }
        if (to - from < DATA.length || !Arrays.equals(buffer, from, from + DATA.length, DATA, 0, DATA.length)) {
            return true;
        }
        int start = from + DATA.length;
        if (start < to && buffer[start] == ' ') {
            start++;
        }
        append(start, to);
        return true;
    }

    private void append(int from, int to) throws IOException {
        int length = to - from + (some ? 1 : 0);
        if (joinedEnd + length > limit) {
            throw new IOException("an event of the stream is larger than " + limit + " bytes");
        }
        if (joinedEnd + length > joined.length) {
            joined = Arrays.copyOf(joined, Math.max(joinedEnd + length, joined.length * 2));
        }
        if (some) {
            joined[joinedEnd++] = '\n';
        }
        System.arraycopy(buffer, from, joined, joinedEnd, to - from);
        joinedEnd += to - from;
        some = true;
    }
}
