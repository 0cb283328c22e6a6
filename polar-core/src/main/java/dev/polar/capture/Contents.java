package dev.polar.capture;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A session's messages, tools and other large values, each stored once, and the lists that requests make of them.
 *
 * <p>A value is known by its number, in the order of first appearance; its bytes stand in the entry of the completion that brought it. Lists form a tree: a list is a shorter one and a
 * value, so that the history that a request repeats costs nothing again. Both grow in the same order when a file is read back, so numbers need not be stored. Not thread-safe.
 */
final class Contents {
    /** The list of nothing. */
    static final int EMPTY = 0;

    private static final long UNPLACED = -1;

    /** The first half of a SHA-256: enough to tell a session's values apart. */
    private record Digest(long high, long low) {}

    /** Where a value's bytes are: in the content of the entry at {@code position}. */
    record Place(long position, int offset, int length) {}

    private final Map<Digest, Integer> known = new HashMap<>();
    private final Map<Long, Integer> longer = new HashMap<>();
    private long[] positions = new long[16];
    private int[] offsets = new int[16];
    private int[] lengths = new int[16];
    private int values;
    private int[] shorter = new int[16];
    private int[] last = new int[16];
    private int[] sizes = new int[16];
    private int lists = 1;

    /** Values that an entry brings, in the order of their numbers. */
    private final List<byte[]> pending = new ArrayList<>();

    /** The number of a value, which is new or known. */
    int value(byte[] bytes) {
        return known.computeIfAbsent(digest(bytes), unknown -> {
            pending.add(bytes);
            return add(bytes.length);
        });
    }

    private int add(int length) {
        if (values == positions.length) {
            positions = Arrays.copyOf(positions, 2 * values);
            offsets = Arrays.copyOf(offsets, 2 * values);
            lengths = Arrays.copyOf(lengths, 2 * values);
        }
        positions[values] = UNPLACED;
        lengths[values] = length;
        return values++;
    }

    /** The list that is {@code list} and {@code value} behind it. */
    int append(int list, int value) {
        return longer.computeIfAbsent((long) list << Integer.SIZE | value, unknown -> {
            if (lists == last.length) {
                shorter = Arrays.copyOf(shorter, 2 * lists);
                last = Arrays.copyOf(last, 2 * lists);
                sizes = Arrays.copyOf(sizes, 2 * lists);
            }
            shorter[lists] = list;
            last[lists] = value;
            sizes[lists] = sizes[list] + 1;
            return lists++;
        });
    }

    int size(int list) {
        return sizes[list];
    }

    /** The values of a list. */
    int[] values(int list) {
        var values = new int[sizes[list]];
        for (int at = list, i = values.length - 1; i >= 0; at = shorter[at], i--) {
            values[i] = last[at];
        }
        return values;
    }

    /** Lists made so far: what was made before stays as it is. */
    int lists() {
        return lists;
    }

    /** Of a list made lately, the longest part of it that is older than {@code since}. */
    int olderPart(int list, int since) {
        int at = list;
        while (at >= since) {
            at = shorter[at];
        }
        return at;
    }

    /** Writes the values that are new, at the entry's start, where {@link #readNew} finds them. */
    void writeNew(EntryWriter out) {
        out.number(pending.size());
        int first = values - pending.size();
        for (int i = 0; i < pending.size(); i++) {
            out.number(pending.get(i).length);
            offsets[first + i] = out.size();
            out.raw(pending.get(i));
        }
    }

    /** The entry that brought the new values is at {@code position}. */
    void placed(long position) {
        Arrays.fill(positions, values - pending.size(), values, position);
        pending.clear();
    }

    /** Takes up the values that an entry brings. */
    void readNew(EntryReader in, long position) {
        int count = in.integer();
        for (int i = 0; i < count; i++) {
            int length = in.integer();
            int offset = in.position();
            int value = add(length);
            known.put(digest(in.raw(length)), value);
            offsets[value] = offset;
            positions[value] = position;
        }
    }

    /** Passes over the values that an entry brings. */
    static void skipNew(EntryReader in) {
        int count = in.integer();
        for (int i = 0; i < count; i++) {
            in.skip(in.integer());
        }
    }

    Place place(int value) {
        return new Place(positions[value], offsets[value], lengths[value]);
    }

    int count() {
        return values;
    }

    /** Nothing is added any more: what tells new values from known ones is let go. */
    void freeze() {
        known.clear();
        longer.clear();
    }

    private static Digest digest(byte[] bytes) {
        try {
            var digest = ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(bytes));
            return new Digest(digest.getLong(), digest.getLong());
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("every Java platform has SHA-256", impossible);
        }
    }
}
