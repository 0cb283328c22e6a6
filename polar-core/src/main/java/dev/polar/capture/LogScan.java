package dev.polar.capture;

import java.io.BufferedInputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads a record's file from the start: whole entries up to where it was cut off, if it was. */
final class LogScan {
    private LogScan() {}

    /** Takes the entries, in order. */
    interface Visitor {
        void entry(EntryKind kind, byte[] content, long position);
    }

    /**
     * Visits the whole entries.
     *
     * @return where the last whole entry ends; less than the file's length where its end is torn
     * @throws RecordException where the file is no record, or an entry differs from its checks
     */
    static long scan(Path path, Visitor visitor) {
        try (var in = new DataInputStream(new BufferedInputStream(Files.newInputStream(path), 1 << 16))) {
            if (!Frames.isFileHeader(in.readNBytes(Frames.FILE_HEADER))) {
                throw new RecordException("file " + path + " is no record of version " + Frames.VERSION, null);
            }
            long position = Frames.FILE_HEADER;
            while (true) {
                byte[] body;
                try {
                    body = body(in, path);
                } catch (EOFException torn) {
                    return position;
                } catch (DamagedException damaged) {
                    if (damaged.zeros && onlyZeros(in)) {
                        return position;
                    }
                    throw new RecordException(
                            "record file " + path + " is damaged at byte " + position + ": " + damaged.getMessage()
                                    + "; the entries before it are whole",
                            damaged);
                }
                visitor.entry(Frames.kind(body), Frames.content(body), position);
                position += Frames.FRAME_HEADER + body.length;
            }
        } catch (IOException failed) {
            throw new RecordException("record file " + path + " cannot be read: " + failed, failed);
        }
    }

    /** Cuts off what follows the last whole entry. */
    static void cut(Path path, long end) {
        try (var file = new RandomAccessFile(path.toFile(), "rw")) {
            if (file.length() > end) {
                file.setLength(end);
            }
        } catch (IOException failed) {
            throw new RecordException("record file " + path + " cannot be cut at byte " + end + ": " + failed, failed);
        }
    }

    /** The body of the frame that starts here. */
    static byte[] body(DataInput in, Path path) throws IOException {
        int length = Integer.reverseBytes(in.readInt());
        int lengthCheck = Integer.reverseBytes(in.readInt());
        int check = Integer.reverseBytes(in.readInt());
        if (lengthCheck != Frames.checkOfLength(length) || length < 2) {
            throw new DamagedException("an entry's length differs from its check", (length | lengthCheck | check) == 0);
        }
        var body = new byte[length];
        in.readFully(body);
        if (check != Frames.check(body)) {
            throw new DamagedException("an entry of " + length + " bytes differs from its check", false);
        }
        return body;
    }

    /** A file system that lost power may leave zeros where bytes were promised but not written: a torn end too. */
    private static boolean onlyZeros(InputStream in) throws IOException {
        var buffer = new byte[1 << 16];
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
            for (int i = 0; i < read; i++) {
                if (buffer[i] != 0) {
                    return false;
                }
            }
        }
        return true;
    }

    private static final class DamagedException extends IOException {
        private static final long serialVersionUID = 1L;

        private final boolean zeros;

        private DamagedException(String message, boolean zeros) {
            super(message);
            this.zeros = zeros;
        }
    }
}
