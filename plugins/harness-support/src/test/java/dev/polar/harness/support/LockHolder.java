package dev.polar.harness.support;

import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Holds the lock of a file until it is killed. */
final class LockHolder {
    private LockHolder() {}

    public static void main(String[] file) throws Exception {
        try (var channel = FileChannel.open(Path.of(file[0]), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                var lock = channel.lock()) {
            System.out.println("locked");
            Thread.sleep(Long.MAX_VALUE);
            lock.release();
        }
    }
}
