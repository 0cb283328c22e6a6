package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.polar.continuation.ExactContinuation;
import dev.polar.inference.EngineDetokenizer;
import dev.polar.inference.EngineException;
import dev.polar.inference.HelperModels;
import dev.polar.inference.InferenceClient;
import dev.polar.inference.JsonTree;
import dev.polar.topology.NodeConfig;
import java.io.IOException;
import java.util.Map;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The model API of a node, whatever container carries its requests. Blocking, for virtual threads. Thread-safe. */
public final class Proxy {
    private static final Logger LOG = LoggerFactory.getLogger(Proxy.class);
    private static final Dialect CHAT = new ChatDialect();
    private static final Dialect MESSAGES = new MessagesDialect();
    private static final String MODEL = "/v1/models/";

    private final InferenceClient client;
    private final SessionLookup sessions;
    private final EngineRequests requests;
    private final ExactContinuation continuation;
    private final Completions completions;
    private final long bodyLimit;

    /** @param openSessions used where the node has {@code open_sessions}; else may be null */
    public Proxy(
            NodeConfig node,
            InferenceClient client,
            HelperModels helpers,
            SessionDirectory directory,
            OpenSessions openSessions) {
        this(node, client, helpers, directory, openSessions, StreamTimes.DEFAULT);
    }

    Proxy(
            NodeConfig node,
            InferenceClient client,
            HelperModels helpers,
            SessionDirectory directory,
            OpenSessions openSessions,
            StreamTimes times) {
        this.client = client;
        this.sessions = new SessionLookup(directory, node.openSessions() ? openSessions : null);
        this.requests = new EngineRequests(node, client);
        this.continuation =
                new ExactContinuation(node.inference(), client, new EngineDetokenizer(client, requests.servedModel()));
        this.completions = new Completions(
                new CallRunner(
                        client,
                        helpers,
                        requests,
                        continuation,
                        node.inference().streaming() == NodeConfig.Streaming.NATIVE),
                times);
        this.bodyLimit = (long) node.maxBodyMb() << 20;
    }

    /** How its turns go on from earlier ones. */
    ExactContinuation continuation() {
        return continuation;
    }

    /**
     * Serves one request to its end. Whatever is wrong with it is answered in the caller's own shape.
     *
     * @throws IOException where the caller has gone
     */
    public void serve(ProxyExchange exchange) throws IOException {
        var route = Route.of(exchange.path());
        var errors = errors(route.path(), exchange);
        try {
            dispatch(exchange, route);
        } catch (RefusedException refused) {
            fail(exchange, errors, refused.fault());
        } catch (EngineException failure) {
            fail(exchange, errors, Fault.of(failure));
        } catch (AgentSession.SessionClosedException closed) {
            fail(exchange, errors, Fault.of(401, closed.getMessage()));
        } catch (RuntimeException unforeseen) {
            LOG.error("a call of {} failed", route.path(), unforeseen);
            fail(exchange, errors, Fault.of(500, "the gateway failed on this call; its log says why"));
        }
    }

    private void dispatch(ProxyExchange exchange, Route route) throws IOException {
        switch (route.path()) {
            case "/v1/chat/completions" -> complete(exchange, route, session -> CHAT);
            case "/v1/responses" -> responses(exchange, route);
            case "/v1/messages" -> complete(exchange, route, session -> MESSAGES);
            case "/v1/messages/count_tokens" -> countTokens(exchange, route, session -> MESSAGES, "input_tokens");
            case "/v1/models" -> models(exchange, route);
            case "/v1/tokenize" -> tokenize(exchange, route);
            case "/" -> root(exchange, route);
            default -> {
                var google = GoogleMethod.of(route.path());
                if (google.isPresent()) {
                    google(exchange, route, google.get());
                } else if (route.path().startsWith(MODEL)) {
                    model(exchange, route, route.path().substring(MODEL.length()));
                } else {
                    throw new RefusedException(notServed(route.path()));
                }
            }
        }
    }

    /** What is asked, of which model and in which form, stands in the path. */
    private void google(ProxyExchange exchange, Route route, GoogleMethod method) throws IOException {
        var form = switch (method.verb()) {
            case GENERATE -> GoogleDialect.Form.WHOLE;
            case STREAM -> "sse".equals(exchange.query("alt")) ? GoogleDialect.Form.EVENTS : GoogleDialect.Form.ARRAY;
            case COUNT -> GoogleDialect.Form.COUNT;
        };
        Function<AgentSession, Dialect> dialect = session -> new GoogleDialect(session, method.model(), form);
        if (form == GoogleDialect.Form.COUNT) {
            countTokens(exchange, route, dialect, "totalTokens");
        } else {
            complete(exchange, route, dialect);
        }
    }

    private static Fault notServed(String path) {
        if (GoogleMethod.isGoogles(path)) {
            return Fault.of(
                    404,
                    "there is no " + path
                            + " here: of a model, generateContent, streamGenerateContent and countTokens are served");
        }
        return Fault.of(404, "there is no " + path + " here");
    }

    private void complete(ProxyExchange exchange, Route route, Function<AgentSession, Dialect> dialect)
            throws IOException {
        require(exchange, "POST");
        var session = open(sessions.find(exchange, route.token()));
        completions.serve(exchange, dialect.apply(session), session, RequestBody.read(exchange, bodyLimit));
    }

    /** Agents that are refused their WebSocket by this very status go on over HTTP at once; others try again and again. */
    private void responses(ProxyExchange exchange, Route route) throws IOException {
        if (exchange.method().equals("GET") && exchange.header("upgrade") != null) {
            throw new RefusedException(Fault.of(426, "WebSockets are not served here: POST to /v1/responses"));
        }
        complete(exchange, route, ResponsesDialect::new);
    }

    private void countTokens(
            ProxyExchange exchange, Route route, Function<AgentSession, Dialect> dialect, String countedAs)
            throws IOException {
        require(exchange, "POST");
        var session = open(sessions.find(exchange, route.token()));
        var call = dialect.apply(session).decode(RequestBody.read(exchange, bodyLimit));
        var request = requests.prepare(call, session).body();
        var count = JsonNodeFactory.instance.objectNode();
        for (var key : new String[] {"model", "messages", "tools", "chat_template_kwargs"}) {
            if (request.has(key)) {
                count.set(key, request.get(key));
            }
        }
        int tokens = client.countTokens(session.sessionId(), count);
        answer(exchange, JsonNodeFactory.instance.objectNode().put(countedAs, tokens));
    }

    private void models(ProxyExchange exchange, Route route) throws IOException {
        require(exchange, "GET");
        var session = open(sessions.find(exchange, route.token()));
        answer(exchange, client.models(session.sessionId()));
    }

    private void model(ProxyExchange exchange, Route route, String name) throws IOException {
        require(exchange, "GET");
        var session = open(sessions.find(exchange, route.token()));
        for (var model : client.models(session.sessionId()).path("data")) {
            if (model.path("id").asText().equals(name)) {
                answer(exchange, model);
                return;
            }
        }
        throw new RefusedException(Fault.of(404, "the inference server has no model '" + name + "'"));
    }

    private void tokenize(ProxyExchange exchange, Route route) throws IOException {
        require(exchange, "POST");
        var session = open(sessions.find(exchange, route.token()));
        var body = RequestBody.read(exchange, bodyLimit);
        var model = requests.engineModel(body.path("model").asText(""));
        if (!model.isEmpty()) {
            body.put("model", model);
        }
        answer(exchange, client.tokenize(session.sessionId(), body));
    }

    /** Some agents look at their base address before they call. */
    private void root(ProxyExchange exchange, Route route) throws IOException {
        require(exchange, "GET", "HEAD");
        sessions.find(exchange, route.token());
        answer(
                exchange,
                JsonNodeFactory.instance.objectNode().put("status", "ok").put("service", "polar-gateway"));
    }

    private static AgentSession open(AgentSession session) {
        if (!session.isOpen()) {
            throw new RefusedException(
                    Fault.of(401, "session " + session.sessionId() + " takes no model calls: it is not running"));
        }
        return session;
    }

    private static void require(ProxyExchange exchange, String... methods) {
        for (var method : methods) {
            if (method.equals(exchange.method())) {
                return;
            }
        }
        throw new RefusedException(
                Fault.of(405, exchange.method() + " is not served here: use " + String.join(" or ", methods)));
    }

    /** In whose words a fault is told: by the path, and where that says nothing, by what the caller's headers say. */
    private static Function<Fault, JsonNode> errors(String path, ProxyExchange exchange) {
        if (GoogleMethod.isGoogles(path)) {
            return GoogleErrors::encode;
        }
        return path.startsWith("/v1/messages") || exchange.header("anthropic-version") != null
                ? MESSAGES::error
                : CHAT::error;
    }

    private static void answer(ProxyExchange exchange, JsonNode body) throws IOException {
        exchange.respond(200, Completions.JSON, Map.of(), JsonTree.write(body));
    }

    private static void fail(ProxyExchange exchange, Function<Fault, JsonNode> errors, Fault fault) throws IOException {
        var body = errors.apply(fault);
        Map<String, String> headers = fault.retryAfter() == null ? Map.of() : Map.of("Retry-After", fault.retryAfter());
        exchange.respond(fault.status(), Completions.JSON, headers, JsonTree.write(body));
    }
}
