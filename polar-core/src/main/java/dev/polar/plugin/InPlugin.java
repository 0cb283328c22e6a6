package dev.polar.plugin;

import java.util.function.Supplier;

/** Runs code with a plugin's class loader as the thread's context class loader, and puts the thread's own back. */
final class InPlugin {
    private InPlugin() {}

    /** Code that may throw {@code E}. */
    interface Call<T, E extends Exception> {
        T run() throws E;
    }

    static <T, E extends Exception> T call(ClassLoader plugin, Call<T, E> code) throws E {
        var thread = Thread.currentThread();
        var before = thread.getContextClassLoader();
        thread.setContextClassLoader(plugin);
        try {
            return code.run();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    static <T> T get(ClassLoader plugin, Supplier<T> code) {
        return InPlugin.<T, RuntimeException>call(plugin, code::get);
    }

    /** Code that may be interrupted and has no result. */
    interface Step {
        void run() throws InterruptedException;
    }

    static void step(ClassLoader plugin, Step code) throws InterruptedException {
        InPlugin.<Void, InterruptedException>call(plugin, () -> {
            code.run();
            return null;
        });
    }
}
