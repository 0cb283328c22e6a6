package dev.polar.sim;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A running simulator. Each request is served on a virtual thread of its own. Thread-safe.
 *
 * <pre>{@code
 * try (SimServer sim = SimServer.start(SimOptions.builder().engine(SimEngine.SGLANG).build())) {
 *     callSomethingThatTalksTo(sim.url());
 *     assertThat(sim.requests()).hasSize(1);
 * }
 * }</pre>
 */
public final class SimServer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(SimServer.class.getName());

    static {
        // The JDK's server reads these once, when its class is initialised.
        Map.of(
                        "sun.net.httpserver.nodelay",
                        "true",
                        "sun.net.httpserver.maxIdleConnections",
                        "4096",
                        "sun.net.httpserver.idleInterval",
                        "300")
                .forEach((name, value) -> System.setProperty(name, System.getProperty(name, value)));
    }

    private final SimOptions options;
    private final HttpServer server;
    private final Doorway doorway;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Scheduler scheduler = new Scheduler();
    private final Metrics metrics = new Metrics();
    private final Faults faults = new Faults();
    private final Deque<ReceivedRequest> requests = new ArrayDeque<>();
    private final Deque<Generated> generations = new ArrayDeque<>();
    private final Routes routes = new Routes();
    private final Dialect dialect;
    private volatile IdInput idInput;

    private SimServer(SimOptions options) throws IOException {
        this.options = options;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
        try {
            doorway = new Doorway(new InetSocketAddress(options.host(), options.port()), server.getAddress());
        } catch (IOException e) {
            server.stop(0);
            throw e;
        }
        idInput = options.idInput();
        dialect = switch (options.engine()) {
            case VLLM -> new VllmDialect(options, scheduler, () -> idInput);
            case SGLANG -> new SglangDialect(options, scheduler, () -> idInput);
        };
        dialect.addRoutes(routes);
        ChatService chat = new ChatService(options, dialect, scheduler, metrics, faults, doorway, this::keep);
        new AdminEndpoints(faults, this::requests).addTo(routes);
        routes.post("/v1/chat/completions", chat::chat).get("/metrics", this::metrics);
        server.createContext("/", this::serve);
        server.setExecutor(threads);
        server.start();
    }

    /**
     * Starts a simulator; it serves when this returns.
     *
     * @throws IOException when it cannot listen on the address; the message names it
     */
    public static SimServer start(SimOptions options) throws IOException {
        return new SimServer(options);
    }

    /** Its address, {@code http://host:port}, without a slash at the end. */
    public String url() {
        return URI.create("http://" + options.host() + ":" + port()).toString();
    }

    public int port() {
        return doorway.port();
    }

    public SimOptions options() {
        return options;
    }

    /** The last requests that came in, oldest first, those to {@code /sim/…} and {@code /metrics} left out. */
    public List<ReceivedRequest> requests() {
        synchronized (requests) {
            return List.copyOf(requests);
        }
    }

    /** The last generations that ran to their end, in the order of their ends; as many as {@link #requests} keeps. */
    public List<Generated> generations() {
        synchronized (generations) {
            return List.copyOf(generations);
        }
    }

    /** Where faults for the next requests are put. */
    public Faults faults() {
        return faults;
    }

    /** Changes what it does with ids from the next request on, as a backend that was replaced while sessions run. */
    public void idInput(IdInput value) {
        idInput = value;
    }

    /** How many requests generate at this moment. */
    public int running() {
        return scheduler.running();
    }

    /** Breaks all connections and stops; does nothing the second time. */
    @Override
    public void close() {
        scheduler.close();
        doorway.close();
        server.stop(0);
        threads.shutdownNow();
    }

    private void serve(HttpExchange exchange) throws IOException {
        Call call = new Call(exchange);
        try {
            if (!call.path().startsWith("/sim/") && !call.path().equals("/metrics")) {
                keep(call.received());
            }
            if (isLockedOut(call)) {
                call.reply(401, Json.object().put("error", "Unauthorized"));
            } else {
                routes.serve(call);
            }
        } catch (ApiError e) {
            call.reply(e.status(), dialect.error(e));
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "a call of " + call.path() + " failed", e);
            throw e; // the connection is closed, since an answer may have begun
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("the simulator is closing", e);
        }
    }

    /** A key guards the model's own endpoints only. */
    private boolean isLockedOut(Call call) {
        return !options.apiKey().isEmpty()
                && call.path().startsWith("/v1")
                && !call.header("authorization").equals("Bearer " + options.apiKey());
    }

    private void keep(ReceivedRequest request) {
        synchronized (requests) {
            requests.addLast(request);
            if (requests.size() > options.keptRequests()) {
                requests.removeFirst();
            }
        }
    }

    private void keep(Generated generated) {
        synchronized (generations) {
            generations.addLast(generated);
            if (generations.size() > options.keptRequests()) {
                generations.removeFirst();
            }
        }
    }

    private void metrics(Call call) throws IOException {
        String text = metrics.exposition(options.engine(), options.model(), scheduler.running(), scheduler.waiting());
        call.reply(200, "text/plain; version=1.0.0; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
    }
}
