package dev.polar.runtime.local;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * What is kept of one output stream: its first half and its last half of a limit, with a note between them where something was left out. Agents say first what they are and last how it went.
 * For one writing thread; readable once that has ended.
 */
final class KeptOutput {
    private final int headLimit;
    private final int tailLimit;
    private final LogFile file;
    private final ByteArrayOutputStream head = new ByteArrayOutputStream();
    private byte[] tail;
    private long total;

    /**
     * @param limit bytes that are kept, at most
     * @param file gets the same, or null
     */
    KeptOutput(long limit, LogFile file) {
        int whole = (int) Math.min(limit, Integer.MAX_VALUE - 1024);
        this.headLimit = whole - whole / 2;
        this.tailLimit = whole / 2;
        this.file = file;
    }

    void add(byte[] bytes, int length) {
        int first = (int) Math.min(length, Math.max(0, headLimit - total));
        if (first > 0) {
            head.write(bytes, 0, first);
            if (file != null) {
                file.write(bytes, 0, first);
            }
        }
        total += first;
        if (first < length) {
            addTail(bytes, first, length - first);
        }
    }

    private void addTail(byte[] bytes, int offset, int length) {
        if (tail == null) {
            tail = new byte[tailLimit];
        }
        int skipped = Math.max(0, length - tailLimit);
        long position = total + skipped - headLimit;
        for (int i = skipped; i < length; i++, position++) {
            tail[(int) (position % tailLimit)] = bytes[offset + i];
        }
        total += length;
    }

    /** To be called once, when the stream has ended: writes what the file lacks. */
    void finish() {
        if (file != null && total > headLimit) {
            var rest = rest();
            file.write(rest, 0, rest.length);
        }
    }

    /** All bytes that came, kept or not. */
    long total() {
        return total;
    }

    /** What was kept, with U+FFFD for what is not UTF-8. */
    String text() {
        if (total <= headLimit) {
            return head.toString(StandardCharsets.UTF_8);
        }
        var whole = new ByteArrayOutputStream();
        try {
            head.writeTo(whole);
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
        whole.writeBytes(rest());
        return whole.toString(StandardCharsets.UTF_8);
    }

    /** The note, if bytes were left out, and the last bytes. */
    private byte[] rest() {
        long after = total - headLimit;
        int kept = (int) Math.min(after, tailLimit);
        var rest = new ByteArrayOutputStream();
        if (after > kept) {
            rest.writeBytes(("\n[" + (after - kept) + " bytes were left out here]\n").getBytes(StandardCharsets.UTF_8));
        }
        for (long i = after - kept; i < after; i++) {
            rest.write(tail[(int) (i % tailLimit)]);
        }
        return rest.toByteArray();
    }
}
