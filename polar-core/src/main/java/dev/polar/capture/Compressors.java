package dev.polar.capture;

import com.github.luben.zstd.ZstdCompressCtx;
import java.util.concurrent.ArrayBlockingQueue;

/** Compression contexts, used again and again: making one costs more than a small entry. Thread-safe. */
final class Compressors {
    private static final int LEVEL = 3;
    /** Enough for the threads that compress at once on a machine of usual size; more are made and thrown away. */
    private static final ArrayBlockingQueue<ZstdCompressCtx> IDLE = new ArrayBlockingQueue<>(16);

    private Compressors() {}

    static byte[] compress(byte[] content) {
        var idle = IDLE.poll();
        var context = idle == null ? new ZstdCompressCtx().setLevel(LEVEL) : idle;
        boolean kept = false;
        try {
            var compressed = context.compress(content);
            kept = IDLE.offer(context);
            return compressed;
        } finally {
            if (!kept) {
                context.close();
            }
        }
    }
}
