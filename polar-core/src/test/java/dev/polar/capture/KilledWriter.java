package dev.polar.capture;

import dev.polar.topology.GatewayConfig.Fsync;
import dev.polar.topology.GatewayConfig.Persistence;
import java.nio.file.Path;
import java.util.Arrays;

/** A process to be killed: records calls for ever, and prints the number of each once it was acknowledged. */
public final class KilledWriter {
    private KilledWriter() {}

    /** @param args the records' directory */
    public static void main(String[] args) {
        var store = new RecordStore(Path.of(args[0]), new Persistence(true, 64, 2, 8, 1, 0, Fsync.NONE));
        var calls = new RecordedCalls(store.create("s", "t"));
        for (int turn = 0; ; turn++) {
            var ids = new int[20 * turn + 10];
            Arrays.setAll(ids, i -> i);
            var answer = new int[10];
            Arrays.setAll(answer, i -> ids.length + i);
            System.out.println(calls.call(ids, answer).record());
        }
    }
}
