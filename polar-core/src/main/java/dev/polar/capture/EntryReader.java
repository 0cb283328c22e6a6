package dev.polar.capture;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Reads what {@link EntryWriter} wrote. */
final class EntryReader {
    private final byte[] data;
    private int next;

    EntryReader(byte[] data, int from) {
        this.data = data;
        this.next = from;
    }

    int position() {
        return next;
    }

    long number() {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            byte part = data[next++];
            value |= (long) (part & 0x7F) << shift;
            if (part >= 0) {
                return value;
            }
        }
    }

    int integer() {
        return (int) number();
    }

    boolean bool() {
        return number() != 0;
    }

    double real() {
        long bits = 0;
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            bits |= (data[next++] & 0xFFL) << shift;
        }
        return Double.longBitsToDouble(bits);
    }

    byte[] raw(int length) {
        next += length;
        return Arrays.copyOfRange(data, next - length, next);
    }

    byte[] bytes() {
        return raw(integer());
    }

    void skip(int bytes) {
        next += bytes;
    }

    String text() {
        int length = integer();
        next += length;
        return new String(data, next - length, length, StandardCharsets.UTF_8);
    }

    /** Null where it was null. */
    String optional() {
        return bool() ? text() : null;
    }

    int[] ids() {
        var ids = new int[integer()];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = integer();
        }
        return ids;
    }

    double[] reals() {
        int length = integer();
        var bits = new long[length];
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            for (int i = 0; i < length; i++) {
                bits[i] |= (data[next++] & 0xFFL) << shift;
            }
        }
        return Arrays.stream(bits).mapToDouble(Double::longBitsToDouble).toArray();
    }
}
