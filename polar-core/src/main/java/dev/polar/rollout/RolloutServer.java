package dev.polar.rollout;

import dev.polar.events.EventChannel;
import dev.polar.security.ControlToken;
import dev.polar.server.StartException;
import dev.polar.spi.TaskState;
import dev.polar.topology.Topology;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/** A rollout server at work, all its parts wired. Thread-safe. */
final class RolloutServer implements AutoCloseable {
    private static final double HOUSEKEEPING_SECONDS = 3600;
    private static final double OUTBOX_SECONDS = 30;
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(10);

    private final Database database;
    private final Stores stores = new Stores();
    private final HttpCalls http;
    private final ResultFiles files;
    private final SessionLedger sessions;
    private final TaskLedger tasks;
    private final TaskDocuments documents;
    private final TaskOverview overview;
    private final Nodes nodes;
    private final FanOut fanOut;
    private final TaskBinding binding;
    private final CallbackHosts hosts;
    private final Topology topology;
    private final Background background = new Background();
    private final Wakeups outboxDue = new Wakeups();
    private final List<Loop> loops = new ArrayList<>();

    /**
     * Opens the state in {@code folder} and takes up what an earlier process left.
     *
     * @param now epoch seconds
     * @throws StartException where the state cannot be opened
     */
    RolloutServer(Topology topology, Path folder, ControlToken token, EventChannel events, DoubleSupplier now) {
        var config = topology.rollout();
        this.topology = topology;
        this.database = Database.open(config.database(), folder, System::getenv);
        this.http = new HttpCalls(config, token);
        this.files = new ResultFiles(folder, config.saveDir());
        this.hosts = new CallbackHosts(config.callbackAllow());
        this.binding = new TaskBinding(topology);
        this.documents = new TaskDocuments(database, stores, files);
        this.overview = new TaskOverview(database, stores);
        try {
            files.prepare();
        } catch (IOException refused) {
            close();
            throw new StartException(
                    "rollout.save_dir: cannot write the results' folder (" + refused.getMessage()
                            + "): give a folder that this user can write",
                    refused);
        }
        var announcements = new Announcements(events);
        var withdrawals = new Withdrawals(database, stores, http, background, config);
        var dispatch = new Wakeups();
        var others = new SessionLedger.Others(announcements, withdrawals, background, dispatch, outboxDue);
        var rules = new SessionLedger.Rules(config.maxAttempts(), config.callbackGiveUpHours());
        this.sessions = new SessionLedger(database, stores, files, others, rules, now);
        this.tasks = new TaskLedger(database, stores, files, others, now);
        var watch = new NodeWatch(
                database, stores, sessions, announcements, http, background, config.callbackGraceSeconds(), now);
        this.nodes = new Nodes(database, stores, watch, withdrawals, dispatch, now);
        this.fanOut = new FanOut(nodes::all, http);
        // The embedded database has one server; those that share one are told apart by their address.
        var owner = config.publicUrl();
        var dispatcher = new Dispatcher(
                database,
                stores,
                sessions,
                others,
                http,
                new Dispatcher.Settings(
                        owner, config.publicUrl() + "/callbacks/session_result", config.callbackGraceSeconds()),
                now);
        var outbox = new CallbackOutbox(database, stores, documents, http, background, hosts, outboxDue, owner, now);
        takeUp(watch, outbox, now);
        double poll = config.dispatchPollIntervalSeconds();
        loops.add(Loop.start("dispatcher", dispatch, () -> poll, () -> {
            watch.checkNodes();
            dispatcher.place();
        }));
        loops.add(Loop.start("node-watch", new Wakeups(), () -> Math.max(1, poll), () -> {
            watch.follow();
            watch.checkOverdue();
        }));
        loops.add(Loop.start("outbox", outboxDue, () -> outbox.untilNext(OUTBOX_SECONDS), outbox::deliver));
        var housekeeping = new Housekeeping(database, stores, files, config.retentionDays(), now);
        loops.add(Loop.start("housekeeping", new Wakeups(), () -> HOUSEKEEPING_SECONDS, housekeeping::run));
    }

    private void takeUp(NodeWatch watch, CallbackOutbox outbox, DoubleSupplier now) {
        database.change(change -> {
            stores.nodes().forgiveSilence(change.handle(), now.getAsDouble());
            return null;
        });
        outbox.resume();
        watch.recheck(Optional.empty());
        database.read(handle -> stores.tasks().inState(handle, TaskState.CANCELLING))
                .forEach(tasks::endCancelled);
    }

    Database database() {
        return database;
    }

    Stores stores() {
        return stores;
    }

    ResultFiles files() {
        return files;
    }

    SessionLedger sessions() {
        return sessions;
    }

    TaskLedger tasks() {
        return tasks;
    }

    TaskDocuments documents() {
        return documents;
    }

    TaskOverview overview() {
        return overview;
    }

    Nodes nodes() {
        return nodes;
    }

    FanOut fanOut() {
        return fanOut;
    }

    TaskBinding binding() {
        return binding;
    }

    CallbackHosts callbackHosts() {
        return hosts;
    }

    Wakeups outboxDue() {
        return outboxDue;
    }

    boolean checksAssets() {
        return topology.rollout().checkAssets();
    }

    @Override
    public void close() {
        loops.reversed().forEach(Loop::stop);
        http.close();
        background.end(STOP_PATIENCE);
        database.close();
    }
}
