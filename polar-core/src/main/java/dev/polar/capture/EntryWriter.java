package dev.polar.capture;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes an entry's fields: integers as LEB128 varints (the form of DWARF and WebAssembly), texts as UTF-8, lists with their length before them. Not thread-safe. */
final class EntryWriter {
    private static final int LONGEST_NUMBER = 10;

    private byte[] bytes = new byte[1024];
    private int size;

    int size() {
        return size;
    }

    byte[] toByteArray() {
        return Arrays.copyOf(bytes, size);
    }

    private void room(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + more));
        }
    }

    EntryWriter number(long value) {
        room(LONGEST_NUMBER);
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            bytes[size++] = (byte) (rest & 0x7F | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
        return this;
    }

    EntryWriter bool(boolean value) {
        return number(value ? 1 : 0);
    }

    EntryWriter real(double value) {
        room(Long.BYTES);
        long bits = Double.doubleToRawLongBits(value);
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            bytes[size++] = (byte) (bits >>> shift);
        }
        return this;
    }

    /** Bytes whose length the reader knows. */
    EntryWriter raw(byte[] value) {
        room(value.length);
        System.arraycopy(value, 0, bytes, size, value.length);
        size += value.length;
        return this;
    }

    EntryWriter bytes(byte[] value) {
        return number(value.length).raw(value);
    }

    EntryWriter text(String value) {
        return bytes(value.getBytes(StandardCharsets.UTF_8));
    }

    /** A text that may be null. */
    EntryWriter optional(String value) {
        bool(value != null);
        return value == null ? this : text(value);
    }

    EntryWriter ids(int[] ids) {
        number(ids.length);
        for (int id : ids) {
            number(Integer.toUnsignedLong(id));
        }
        return this;
    }

    /** Bit for bit, byte plane by byte plane: doubles that were floats once have empty planes, which compress to nothing. */
    EntryWriter reals(double[] values) {
        number(values.length);
        room(Long.BYTES * values.length);
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            for (double value : values) {
                bytes[size++] = (byte) (Double.doubleToRawLongBits(value) >>> shift);
            }
        }
        return this;
    }
}
