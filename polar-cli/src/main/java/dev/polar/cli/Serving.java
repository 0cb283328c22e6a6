package dev.polar.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** A server process from its plan until it serves: ready is when the rollout server counts its node. */
final class Serving implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(100);
    private static final Duration REMARK_AFTER = Duration.ofSeconds(10);
    private static final String START_FAILED = "the server could not start: ";

    private final ServerPlan plan;
    private final LibertyServer server;
    private final Output output;

    private Serving(ServerPlan plan, LibertyServer server, Output output) {
        this.plan = plan;
        this.server = server;
        this.output = output;
    }

    /**
     * Starts and waits until it is ready.
     *
     * @param folder of this server process, or null for its own under {@code data_dir}
     * @throws UserException in one line, where it cannot start
     */
    static Serving start(ServerPlan plan, Distribution distribution, Path folder, boolean shortLived, Output output)
            throws InterruptedException {
        var place = folder != null
                ? folder
                : plan.topology().dataDir().resolve("server").resolve(plan.name());
        var server = LibertyServer.start(distribution, place, plan.environment(), shortLived);
        var serving = new Serving(plan, server, output);
        try {
            serving.await();
            return serving;
        } catch (InterruptedException | RuntimeException failed) {
            server.close();
            throw failed;
        }
    }

    private void await() throws InterruptedException {
        if (plan.rollout()) {
            var config = plan.topology().rollout();
            awaitOwn(config.host(), config.port(), "/health", "rollout server");
        }
        if (plan.node() != null) {
            awaitOwn(plan.node().host(), plan.node().port(), "/health", "gateway");
            awaitRegistration();
        }
    }

    private void awaitOwn(String host, int port, String path, String what) throws InterruptedException {
        try (var client = new RolloutClient(localUrl(host, port))) {
            var until = System.nanoTime() + PATIENCE.toNanos();
            while (System.nanoTime() < until) {
                failOnProblem();
                var answer = client.probe(path);
                if (answer.isPresent() && answer.get().ok()) {
                    checkIdentity(answer.get(), client.url(), what);
                    return;
                }
                answer.ifPresent(Serving::failOnRefusal);
                Thread.sleep(LOOK_AGAIN);
            }
        }
        throw failed("the " + what + " does not answer after " + PATIENCE.toSeconds() + " s");
    }

    private static void failOnRefusal(RolloutClient.Answer answer) {
        var detail = answer.detail();
        if (detail.startsWith(START_FAILED)) {
            throw new UserException(detail.substring(START_FAILED.length()));
        }
    }

    /** Another program may have taken the port between the look at it and the server's own try. */
    private void checkIdentity(RolloutClient.Answer answer, String url, String what) {
        var node = answer.body().path("node_id").asText(null);
        var expected = what.equals("gateway") ? plan.node().id() : null;
        if (!"ok".equals(answer.body().path("status").asText()) || (expected != null && !expected.equals(node))) {
            throw new UserException(url + " is answered by another program than the " + what
                    + " that was started: choose another port");
        }
    }

    private void awaitRegistration() throws InterruptedException {
        var started = System.nanoTime();
        var remarked = false;
        try (var client = new RolloutClient(reachableRollout())) {
            while (!registered(client)) {
                failOnProblem();
                if (!remarked && System.nanoTime() - started > REMARK_AFTER.toNanos()) {
                    remarked = true;
                    output.progress("waiting for the rollout server at " + client.url() + " to know node "
                            + plan.node().id());
                }
                Thread.sleep(LOOK_AGAIN);
            }
        }
    }

    private boolean registered(RolloutClient client) throws InterruptedException {
        return client.probe("/nodes/" + RolloutClient.encoded(plan.node().id()))
                .filter(RolloutClient.Answer::ok)
                .filter(answer -> answer.body()
                        .path("gateway_url")
                        .asText()
                        .equals(plan.node().publicUrl()))
                .filter(answer -> answer.body().path("healthy").asBoolean())
                .isPresent();
    }

    private String reachableRollout() {
        return plan.rollout()
                ? localUrl(
                        plan.topology().rollout().host(),
                        plan.topology().rollout().port())
                : plan.rolloutUrl();
    }

    private void failOnProblem() {
        var problem = server.problem();
        if (problem.isPresent()) {
            throw failed(problem.get());
        }
    }

    private UserException failed(String line) {
        server.lastLines().forEach(output::progress);
        return new UserException(line);
    }

    /** What a ready line says: {@code url}, and with both roles {@code gateway}. */
    Map<String, Object> ready() {
        var ready = new LinkedHashMap<String, Object>();
        ready.put("ready", true);
        ready.put(
                "url",
                plan.rollout()
                        ? plan.topology().rollout().publicUrl()
                        : plan.node().publicUrl());
        if (plan.rollout() && plan.node() != null) {
            ready.put("gateway", plan.node().publicUrl());
        }
        return ready;
    }

    /**
     * Waits for the server's end.
     *
     * @throws UserException where it ended by itself: something is wrong then
     */
    void waitFor() throws InterruptedException {
        if (server.waitFor()) {
            return;
        }
        throw failed(server.problem().orElse("the server has ended"));
    }

    Path log() {
        return server.log();
    }

    static String localUrl(String host, int port) {
        var reachable = host.equals("0.0.0.0") || host.equals("*") ? "127.0.0.1" : host.equals("::") ? "::1" : host;
        var bracketed = reachable.indexOf(':') >= 0 && !reachable.startsWith("[") ? "[" + reachable + "]" : reachable;
        return "http://" + bracketed + ":" + port;
    }

    @Override
    public void close() {
        server.close();
    }
}
