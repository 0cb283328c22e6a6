package dev.polar.runtime.local;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

/** Runs clean-up to its end whatever happens to the caller's thread. */
final class Uninterrupted {
    private Uninterrupted() {}

    /** The code's result. It runs on a fresh thread; the caller waits for it, and an interrupt that comes meanwhile is kept for afterwards. */
    static <T> T call(Supplier<T> code) {
        var task = new FutureTask<>(code::get);
        Thread.ofVirtual().name("clean-up").start(task);
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
            throw failed.getCause() instanceof RuntimeException problem
                    ? problem
                    : new IllegalStateException(failed.getCause());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
