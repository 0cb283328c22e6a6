package dev.polar.proxy;

import dev.polar.capture.Detokenizer;
import dev.polar.inference.EngineDetokenizer;
import dev.polar.inference.HelperModels;
import dev.polar.inference.InferenceClient;
import dev.polar.inference.InferenceControl;
import dev.polar.spi.EngineProfile;
import dev.polar.topology.NodeConfig;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;

/** A gateway's proxy and its engine, from the node's start to its stop. Thread-safe. */
@ApplicationScoped
public class ProxyService {
    private final SessionDirectory directory;
    private volatile Parts parts;

    private record Parts(
            NodeConfig node, InferenceClient client, HelperModels helpers, Proxy proxy, InferenceControl control) {}

    /** For the container's proxy. */
    protected ProxyService() {
        this(null);
    }

    @Inject
    public ProxyService(SessionDirectory directory) {
        this.directory = directory;
    }

    /**
     * Serves from now on.
     *
     * @param profile of the engine that the node names
     * @param openSessions makes sessions for strangers; used where the node lets them in, else may be null
     * @throws IllegalArgumentException where the engine cannot be asked as the node says
     */
    public void start(NodeConfig node, EngineProfile profile, OpenSessions openSessions) {
        start(node, profile, openSessions, InferenceClient.SILENCE);
    }

    /** The same, with another limit for an engine that sends nothing. */
    public void start(NodeConfig node, EngineProfile profile, OpenSessions openSessions, Duration silence) {
        var client = new InferenceClient(node.inference(), profile, silence);
        if (node.inference().streaming() == NodeConfig.Streaming.NATIVE) {
            provedWhole(client);
        }
        var helpers = new HelperModels(node.modelPool(), System::getenv, silence);
        var proxy = new Proxy(node, client, helpers, directory, openSessions);
        parts = new Parts(node, client, helpers, proxy, new InferenceControl(client));
        // an engine that is slow to answer, or not there yet, does not hold the node up: its first continued turn waits
        // for the same proof
        Thread.ofVirtual().name("polar-continuation").start(proxy.continuation()::announce);
    }

    /** Closes the client where its engine's streams cannot be relayed. */
    private static void provedWhole(InferenceClient client) {
        String problem;
        try {
            problem = client.streamsUnproved();
        } catch (RuntimeException failure) {
            client.close();
            throw failure;
        }
        if (problem != null) {
            client.close();
            throw new IllegalArgumentException("inference.streaming: native cannot be served with the engine '"
                    + client.engine() + "': " + problem + "; or set it to buffered");
        }
    }

    /** Ends what is in flight. Sessions are to be closed before. */
    @PreDestroy
    public void stop() {
        var running = parts;
        parts = null;
        if (running != null) {
            running.client().close();
            running.helpers().close();
        }
    }

    /** @throws IllegalStateException where it does not serve */
    Proxy proxy() {
        return running().proxy();
    }

    /** Pause, resume, status and policy version. */
    public InferenceControl control() {
        return running().control();
    }

    /** How turns go on from earlier ones, as it is in force now: {@code mode} ({@code exact}, {@code plain}) and {@code keep}; empty where it does not serve. */
    public Map<String, Object> continuationInForce() {
        var now = parts;
        if (now == null) {
            return Map.of();
        }
        var continuation = now.proxy().continuation();
        return Map.of("mode", continuation.mode().name().toLowerCase(Locale.ROOT), "keep", continuation.keep());
    }

    /** Null when the engine can generate; else why not. Asks it, so it can wait. */
    public String unhealthy() {
        return running().client().unhealthy();
    }

    /** The engine's texts of ids. */
    public Detokenizer detokenizer() {
        var now = running();
        var model = now.node().modelServed();
        return new EngineDetokenizer(now.client(), model == null || model.isEmpty() ? null : model);
    }

    private Parts running() {
        var now = parts;
        if (now == null) {
            throw new IllegalStateException("the proxy is not running on this node");
        }
        return now;
    }
}
