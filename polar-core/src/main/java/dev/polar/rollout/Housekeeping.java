package dev.polar.rollout;

import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Forgets what is old: finished tasks with the results that are ours, tombstones. */
final class Housekeeping {
    private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);
    private static final double DAY_SECONDS = 24 * 3600;

    private final Database database;
    private final Stores stores;
    private final ResultFiles files;
    private final int retentionDays;
    private final DoubleSupplier now;

    /** @param now epoch seconds */
    Housekeeping(Database database, Stores stores, ResultFiles files, int retentionDays, DoubleSupplier now) {
        this.database = database;
        this.stores = stores;
        this.files = files;
        this.retentionDays = retentionDays;
        this.now = now;
    }

    void run() {
        double time = now.getAsDouble();
        database.change(change -> {
            stores.tasks().forgetTombstones(change.handle(), time);
            return null;
        });
        var old = database.read(handle -> stores.tasks().finishedBefore(handle, time - retentionDays * DAY_SECONDS));
        old.forEach(this::forget);
        if (!old.isEmpty()) {
            LOG.info("{} tasks that ended more than {} days ago are forgotten", old.size(), retentionDays);
        }
    }

    private void forget(String taskId) {
        database.change(change -> {
            for (var session : stores.sessions().ofTask(change.handle(), taskId)) {
                change.afterwards(() -> files.forget(session.resultPath()));
            }
            stores.tasks().delete(change.handle(), taskId);
            return null;
        });
    }
}
