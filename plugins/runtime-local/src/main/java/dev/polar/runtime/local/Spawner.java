package dev.polar.runtime.local;

import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The thread that a runtime's processes are children of. A child that asks to die with its parent dies with the parent's <em>thread</em> (prctl(2), PR_SET_PDEATHSIG), so it must be one that
 * lives exactly as long as the runtime: neither a virtual thread, whose carrier comes and goes, nor the caller's.
 */
final class Spawner {
    private final BlockingQueue<FutureTask<Process>> wanted = new LinkedBlockingQueue<>();
    private final Thread thread;
    private volatile boolean ended;

    Spawner(String name) {
        thread = Thread.ofPlatform().daemon().name(name).start(this::run);
    }

    private void run() {
        try {
            while (!ended) {
                wanted.take().run();
            }
        } catch (InterruptedException told) {
            // end() was called
        }
        wanted.forEach(late -> late.cancel(false));
    }

    /**
     * Starts a process. Not interruptible: a process that was started is always handed over; the caller's interrupt flag stays as it was.
     *
     * @throws IOException where it cannot be started, or {@link #end} was called
     */
    Process start(ProcessBuilder builder) throws IOException {
        var task = new FutureTask<>(builder::start);
        wanted.add(task);
        if (ended) {
            task.cancel(false);
        }
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof IOException io ? io : new IOException(failed.getCause());
        } catch (java.util.concurrent.CancellationException over) {
            throw new IOException("the runtime was stopped", over);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Ends the thread, and with it every child that asked to die with it. Returns when no start is under way any more. */
    void end() {
        ended = true;
        wanted.add(new FutureTask<>(() -> null));
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        wanted.forEach(late -> late.cancel(false));
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
