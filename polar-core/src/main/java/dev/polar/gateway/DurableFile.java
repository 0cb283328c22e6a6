package dev.polar.gateway;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Writes a file so that it is there whole or not at all, also after a crash: a temporary name, forced to the disk, renamed. */
final class DurableFile {
    /** Suffix of a file that was not finished. */
    static final String PARTIAL = ".partial";

    private DurableFile() {}

    /** Writes the content, as a stream. */
    @FunctionalInterface
    interface Content {
        void writeTo(OutputStream out) throws IOException;
    }

    static void write(Path file, Content content) throws IOException {
        var partial = file.resolveSibling(file.getFileName() + PARTIAL);
        try {
            try (var channel = FileChannel.open(
                            partial,
                            StandardOpenOption.CREATE,
                            StandardOpenOption.WRITE,
                            StandardOpenOption.TRUNCATE_EXISTING);
                    var out = new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 16)) {
                content.writeTo(new KeptOpen(out));
                out.flush();
                channel.force(true);
            }
            move(partial, file);
        } finally {
            Files.deleteIfExists(partial);
        }
    }

    /** Renames, and forces the folders' entries to the disk. */
    static void move(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        force(to.toAbsolutePath().getParent());
        if (!from.toAbsolutePath().getParent().equals(to.toAbsolutePath().getParent())) {
            force(from.toAbsolutePath().getParent());
        }
    }

    private static void force(Path folder) throws IOException {
        try (var channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** Jackson closes what it has written to; the channel must be forced first. */
    private static final class KeptOpen extends java.io.FilterOutputStream {
        KeptOpen(OutputStream out) {
            super(out);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }
}
