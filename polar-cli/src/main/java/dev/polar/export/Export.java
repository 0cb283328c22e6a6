package dev.polar.export;

import dev.polar.result.ResultException;
import dev.polar.result.ResultReader;
import dev.polar.result.SessionHead;
import dev.polar.result.SessionTrace;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.UUID;

/** Writes one file of rows. What is written has a name of its own until all is in it, so that the file is whole or not there. */
public final class Export implements AutoCloseable {
    private final Path target;
    private final Path unfinished;
    private final RowFormat format;
    private final Selection selection;
    private final RowWriter writer;
    private final Tally tally = new Tally();
    private boolean closed;

    /**
     * @param images null where the user did not say
     * @param target is replaced where it is there
     * @throws ResultException where its folder is not there or takes no file
     */
    public Export(Path target, ExportFormat format, FileType type, ImageForm images, Selection selection) {
        this.target = target.toAbsolutePath();
        this.format = format.rows(images);
        this.selection = selection;
        this.unfinished =
                this.target.resolveSibling("." + this.target.getFileName() + "." + UUID.randomUUID() + ".tmp");
        // Also where the user interrupts.
        unfinished.toFile().deleteOnExit();
        try {
            this.writer = RowWriter.open(type, unfinished, this.format.columns());
        } catch (IOException refused) {
            throw new ResultException(target + ": cannot be written: " + refused, refused);
        }
    }

    /** Grows while {@link #add} works. */
    public Tally tally() {
        return tally;
    }

    /**
     * Adds the sessions of a result or a task.
     *
     * @param in is closed
     * @param name of the source, for messages
     * @return the keys {@code task_id} and {@code status} of the task
     * @throws ResultException where it is no result
     * @throws IOException where it cannot be read, or the file cannot be written
     */
    public com.fasterxml.jackson.databind.JsonNode add(InputStream in, String name) throws IOException {
        var sessions = new Sessions();
        var head = ResultReader.read(in, name, sessions);
        sessions.end();
        return head;
    }

    private final class Sessions implements ResultReader.Visitor {
        private Optional<String> refusal = Optional.empty();
        private int traces = -1;

        @Override
        public void session(SessionHead session) {
            end();
            tally.session();
            traces = 0;
            refusal = format.refuses(session);
        }

        @Override
        public void trace(SessionTrace trace) throws IOException {
            traces++;
            tally.trace(trace);
            var unwanted = selection.leavesOut(trace);
            if (unwanted.isPresent()) {
                tally.leaveOut(unwanted.get());
                return;
            }
            if (refusal.isPresent()) {
                // Not said of a session of which nothing was wanted.
                tally.refuse(trace.session(), refusal.get());
                tally.leaveOut(refusal.get());
                return;
            }
            switch (format.row(trace)) {
                case RowFormat.Row row -> {
                    writer.write(row.values());
                    tally.row(trace);
                }
                case RowFormat.LeftOut left -> tally.leaveOut(left.reason());
            }
        }

        void end() {
            if (traces == 0) {
                tally.sessionWithoutTraces();
            }
            traces = -1;
        }
    }

    /** Gives the file its name. */
    public void finish() throws IOException {
        closed = true;
        writer.close();
        Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Without {@link #finish()} before, nothing stays. */
    @Override
    public void close() throws IOException {
        if (!closed) {
            closed = true;
            try {
                writer.close();
            } finally {
                Files.deleteIfExists(unfinished);
            }
        }
    }
}
