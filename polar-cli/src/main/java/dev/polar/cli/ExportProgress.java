package dev.polar.cli;

import dev.polar.export.Tally;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/** Shows on a terminal how far an export is, and ends one whose source has gone silent. */
final class ExportProgress implements AutoCloseable {
    private static final Duration TICK = Duration.ofMillis(250);
    private static final Duration SILENCE = Duration.ofSeconds(60);

    private final Tally tally;
    private final Output output;
    private final Thread ticking;
    private volatile Watched source;
    private volatile long bytesBefore;

    ExportProgress(Tally tally, Output output) {
        this.tally = tally;
        this.output = output;
        this.ticking = Thread.ofVirtual().name("export-progress").start(this::tick);
    }

    /** The same bytes, counted. A read that waits for longer than a minute fails. */
    InputStream watch(InputStream in, String name) {
        bytesBefore += source == null ? 0 : source.bytes;
        source = new Watched(in, name);
        return new BufferedInputStream(source, 1 << 16);
    }

    private void tick() {
        try {
            while (true) {
                Thread.sleep(TICK);
                var watched = source;
                if (watched == null) {
                    continue;
                }
                watched.endIfSilent();
                output.ticker(String.format(
                        "%s: %.1f MB read, %d sessions, %d rows",
                        watched.name, (bytesBefore + watched.bytes) / 1e6, tally.sessions(), tally.rows()));
            }
        } catch (InterruptedException done) {
            output.ticker("");
        }
    }

    @Override
    public void close() {
        ticking.interrupt();
        try {
            ticking.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static final class Watched extends FilterInputStream {
        private final String name;
        private volatile long bytes;
        /** When the read that waits began, in nanoseconds; 0 while none does. */
        private volatile long waitingSince;

        private volatile boolean silent;

        Watched(InputStream in, String name) {
            super(in);
            this.name = name;
        }

        void endIfSilent() {
            long since = waitingSince;
            if (since != 0 && System.nanoTime() - since > SILENCE.toNanos()) {
                silent = true;
                try {
                    in.close();
                } catch (IOException already) {
                    // the read that waits ends in any case
                }
            }
        }

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        @SuppressWarnings("NonAtomicOperationOnVolatileField") // one thread writes
        public int read(byte[] into, int from, int length) throws IOException {
            waitingSince = Math.max(1, System.nanoTime());
            try {
                int count = in.read(into, from, length);
                bytes += Math.max(0, count);
                return count;
            } catch (IOException failed) {
                throw silent
                        ? new IOException(name + ": nothing came for " + SILENCE.toSeconds() + " s", failed)
                        : failed;
            } finally {
                waitingSince = 0;
            }
        }
    }
}
