package dev.polar.gateway;

import dev.polar.spi.NodeRegistration;
import dev.polar.spi.NodeStageMetrics;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the node known to the rollout server: registers until that is answered, then tells how full the stages are, and registers again where the server has forgotten it. */
final class NodeHeartbeat implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeHeartbeat.class);
    private static final Duration FIRST_RETRY = Duration.ofMillis(200);
    private static final Duration LONGEST_RETRY = Duration.ofSeconds(5);
    private static final int NOT_FOUND = 404;

    private final RolloutLink link;
    private final NodeRegistration registration;
    private final Supplier<NodeStageMetrics> metrics;
    private final Duration interval;
    private final Thread thread;
    private String reported;

    NodeHeartbeat(RolloutLink link, NodeRegistration registration, Supplier<NodeStageMetrics> metrics) {
        this.link = link;
        this.registration = registration;
        this.metrics = metrics;
        this.interval = Duration.ofNanos((long) (registration.heartbeatIntervalSeconds() * 1e9));
        this.thread = Thread.ofVirtual().name("heartbeat").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            while (true) {
                register();
                beat();
                // A server that forgets at once must not be asked without end.
                Thread.sleep(FIRST_RETRY);
            }
        } catch (InterruptedException closing) {
            // the node stops
        }
    }

    private void register() throws InterruptedException {
        var retry = FIRST_RETRY;
        while (!succeeds("register", () -> link.register(registration))) {
            Thread.sleep(retry);
            retry = retry.multipliedBy(2).compareTo(LONGEST_RETRY) > 0 ? LONGEST_RETRY : retry.multipliedBy(2);
        }
        LOG.info("registered as node '{}'", registration.nodeId());
    }

    /** Returns where the server no longer knows the node. */
    private void beat() throws InterruptedException {
        while (true) {
            var known = new boolean[] {true};
            succeeds("heartbeat", () -> {
                var answer = link.heartbeat(registration.nodeId(), metrics.get());
                known[0] = answer.status() != NOT_FOUND;
                return answer;
            });
            if (!known[0]) {
                return;
            }
            Thread.sleep(interval);
        }
    }

    /** A call to the rollout server. */
    @FunctionalInterface
    private interface Call {
        RolloutLink.Answer make() throws IOException;
    }

    private boolean succeeds(String what, Call call) {
        String problem;
        try {
            var answer = call.make();
            problem = answer.ok()
                    ? null
                    : "answer " + answer.status()
                            + (answer.body() == null
                                    ? ""
                                    : ": " + answer.body().path("detail").asText());
        } catch (IOException unreachable) {
            problem = Messages.of(unreachable);
        }
        // The same trouble is told once, and so is its end.
        if (problem == null && reported != null) {
            LOG.info("the rollout server answers again");
        } else if (problem != null && !problem.equals(reported)) {
            LOG.warn("{} at the rollout server failed, it is tried again: {}", what, problem);
        }
        reported = problem;
        return problem == null;
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
