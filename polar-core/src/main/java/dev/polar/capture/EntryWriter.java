package dev.polar.capture;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Writes an entry's fields: integers as LEB128 varints (the form of DWARF and WebAssembly), texts as UTF-8, lists with their length before them. */
final class EntryWriter {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream(1024);

    int size() {
        return out.size();
    }

    byte[] toByteArray() {
        return out.toByteArray();
    }

    EntryWriter number(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            out.write((int) (rest & 0x7F | 0x80));
            rest >>>= 7;
        }
        out.write((int) rest);
        return this;
    }

    EntryWriter bool(boolean value) {
        out.write(value ? 1 : 0);
        return this;
    }

    EntryWriter real(double value) {
        long bits = Double.doubleToRawLongBits(value);
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            out.write((int) (bits >>> shift));
        }
        return this;
    }

    /** Bytes whose length the reader knows. */
    EntryWriter raw(byte[] value) {
        out.writeBytes(value);
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

    EntryWriter ids(int[] ids, int from, int to) {
        number(to - from);
        for (int i = from; i < to; i++) {
            number(Integer.toUnsignedLong(ids[i]));
        }
        return this;
    }

    /** Bit for bit, byte plane by byte plane: doubles that were floats once have empty planes, which compress to nothing. */
    EntryWriter reals(double[] values) {
        number(values.length);
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            for (double value : values) {
                out.write((int) (Double.doubleToRawLongBits(value) >>> shift));
            }
        }
        return this;
    }
}
