package dev.polar.inference;

import java.time.Duration;
import java.util.List;

/** What the gateway's admin routes do to a node's generation. Thread-safe. */
public final class InferenceControl {
    private final InferenceClient client;

    public InferenceControl(InferenceClient client) {
        this.client = client;
    }

    /**
     * State of a node's generation; JSON {@code {paused, inflight, base_url, engine}}.
     *
     * @param paused new generations wait
     * @param inflight generations that run
     */
    public record Status(boolean paused, int inflight, String baseUrl, String engine) {
        /** Paused with nothing running: the weights may be changed. */
        public boolean drained() {
            return paused && inflight == 0;
        }
    }

    /** New generations wait from now on; returns when the running ones have ended, or after {@code timeout}: then not {@link Status#drained()}, and still paused. */
    public Status pause(Duration timeout) throws InterruptedException {
        client.gate().pause(timeout);
        return status();
    }

    public Status resume() {
        client.gate().resume();
        return status();
    }

    public Status status() {
        return new Status(client.gate().isPaused(), client.gate().inFlight(), client.baseUrl(), client.engine());
    }

    /** The copies of the engine that are asked. Can wait for an answer the first time. */
    public List<InferenceClient.Replica> replicas() {
        return client.replicas();
    }

    /** Stamped on completions from now on. */
    public Status policyVersion(String version) {
        client.versions().set(version);
        return status();
    }
}
