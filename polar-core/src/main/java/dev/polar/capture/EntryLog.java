package dev.polar.capture;

import java.util.ArrayList;
import java.util.List;

/** Where a session's entries are kept, in order. Thread-safe. */
sealed interface EntryLog permits FileLog, EntryLog.InMemory {
    /** A place that an entry was given. */
    interface Ticket {
        /** Where the entry can be read, once {@link #await} has returned. */
        long position();

        /**
         * Waits until the entry is where it is to be kept; an interrupt does not end the wait, and stays set.
         *
         * @throws RecordException where it could not be written
         */
        void await();
    }

    /**
     * Adds an entry; returns before it is written.
     *
     * @param answer true where {@code fsync: answer} forces it to the disk
     * @throws RecordException where an entry before it could not be written
     */
    Ticket append(EntryKind kind, byte[] content, boolean answer);

    /** An entry's content. */
    byte[] read(long position);

    /** Waits until all is written, and frees what the log holds open. It opens again by itself. */
    void settle();

    /** Removes the log for good. */
    void delete();

    /** Entries of a node that keeps no files. */
    final class InMemory implements EntryLog {
        private final List<byte[]> entries = new ArrayList<>();

        @Override
        public synchronized Ticket append(EntryKind kind, byte[] content, boolean answer) {
            entries.add(Frames.pack(kind, content));
            long position = entries.size() - 1;
            return new Ticket() {
                @Override
                public long position() {
                    return position;
                }

                @Override
                public void await() {
                    // it is where it is kept
                }
            };
        }

        @Override
        public synchronized byte[] read(long position) {
            return Frames.content(entries.get((int) position));
        }

        @Override
        public void settle() {
            // nothing is held open
        }

        @Override
        public synchronized void delete() {
            entries.clear();
        }
    }
}
