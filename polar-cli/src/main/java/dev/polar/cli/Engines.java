package dev.polar.cli;

import dev.polar.topology.NodeConfig;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** The inference servers of a node. */
final class Engines {
    /** Default of {@code --wait-for-engine}: a model server that is started at the same time as the gateway should not lose. */
    static final String PATIENCE = "15";

    private static final Duration ANSWER = Duration.ofSeconds(5);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(500);

    private Engines() {}

    /** True where something answers HTTP there, whatever it says. */
    static boolean answers(String baseUrl) throws InterruptedException {
        try (var http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(ANSWER)
                .build()) {
            var request =
                    HttpRequest.newBuilder(URI.create(baseUrl + "/v1/models")).timeout(ANSWER);
            http.send(request.build(), BodyHandlers.discarding());
            return true;
        } catch (IOException nobody) {
            return false;
        }
    }

    /**
     * Waits until each answers.
     *
     * @param patienceSeconds how long; 0 looks once
     * @throws UserException where one does not
     */
    static void await(NodeConfig node, double patienceSeconds, Output output) throws InterruptedException {
        var until = System.nanoTime() + (long) (patienceSeconds * 1e9);
        for (var base : node.inference().baseUrls()) {
            var remarked = false;
            while (!answers(base)) {
                if (System.nanoTime() >= until) {
                    throw new UserException("node " + node.id() + ": its inference server does not answer at " + base
                            + ": start it (or polar sim), correct inference.base_url, or wait longer for it with"
                            + " --wait-for-engine SECONDS");
                }
                if (!remarked) {
                    remarked = true;
                    output.progress("waiting for the inference server at " + base);
                }
                Thread.sleep(LOOK_AGAIN);
            }
        }
    }
}
