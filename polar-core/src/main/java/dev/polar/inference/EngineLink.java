package dev.polar.inference;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.polar.spi.EngineProfile;
import dev.polar.topology.NodeConfig;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.apache.hc.core5.http.ClassicHttpResponse;

/** The way to an engine's copies: which one a session's call goes to, and the small calls that are the same for all. Blocking, for virtual threads. Thread-safe. */
final class EngineLink implements AutoCloseable {
    private static final String CHAT = "/v1/chat/completions";
    private static final Duration QUICK = Duration.ofSeconds(10);
    private static final Duration LOOK = Duration.ofSeconds(3);

    private final String engine;
    private final EngineProfile profile;
    private final Duration silence;
    private final EngineHttp http = new EngineHttp();
    private final Replicas replicas;

    /** @param silence how long a generation may send nothing */
    EngineLink(NodeConfig.Inference config, EngineProfile profile, Duration silence) {
        this.engine = config.engine();
        this.profile = profile;
        this.silence = silence;
        this.replicas = new Replicas(config.baseUrls(), this::look, this::healthy).start();
    }

    EngineProfile profile() {
        return profile;
    }

    Replicas replicas() {
        return replicas;
    }

    /** Reads the body of a 200. */
    interface BodyReader<T> {
        T read(ClassicHttpResponse head, InputStream in) throws IOException;
    }

    /** The session's copy, and once another one where that takes no connection. */
    <T> T routed(String sessionId, Function<String, T> call) {
        var base = replicas.of(sessionId);
        try {
            return call.apply(base);
        } catch (EngineException failure) {
            if (failure.kind() != EngineException.Kind.UNREACHABLE || !replicas.failed(base)) {
                throw failure;
            }
            return call.apply(replicas.of(sessionId));
        }
    }

    /** One chat request, which may take as long as its generation. */
    <T> T chat(String base, byte[] body, Cancellation cancellation, BodyReader<T> reader) {
        return post(base, CHAT, body, silence, cancellation, reader);
    }

    /** A request that is answered at once. */
    <T> T quick(String base, String path, byte[] body, Cancellation cancellation, BodyReader<T> reader) {
        return post(base, path, body, QUICK, cancellation, reader);
    }

    private <T> T post(
            String base, String path, byte[] body, Duration limit, Cancellation cancellation, BodyReader<T> reader) {
        return http.send("POST", uri(base, path), body, null, limit, cancellation, (status, head, in) -> {
            if (status != 200) {
                throw refusal(status, head, in);
            }
            return reader.read(head, in);
        });
    }

    /** @param body null for none */
    JsonNode json(String method, String base, String path, byte[] body) {
        return http.send(method, uri(base, path), body, null, QUICK, new Cancellation(), (status, head, in) -> {
            if (status != 200) {
                throw refusal(status, head, in);
            }
            return JsonTree.readLenient(in.readAllBytes());
        });
    }

    private EngineException refusal(int status, ClassicHttpResponse head, InputStream in) throws IOException {
        return EngineErrors.of(status, in.readAllBytes(), retryAfter(head), profile.overflowMarks());
    }

    /** @throws EngineException where it cannot generate */
    void checkHealth(String base) {
        http.<Void>send(
                "GET", uri(base, profile.healthPath()), null, null, QUICK, new Cancellation(), (status, head, in) -> {
                    if (status >= 300) {
                        throw EngineException.of(
                                EngineException.Kind.FAILED,
                                status,
                                "the inference server at " + base + " answers its health check with " + status,
                                null);
                    }
                    return null;
                });
    }

    private boolean healthy(String base) {
        try {
            checkHealth(base);
            return true;
        } catch (EngineException failure) {
            return false;
        }
    }

    /** An engine knows neither path; one that answers them is a router. vLLM is not asked: it is never behind this one. */
    private Address look(String base) {
        if (engine.equals(VllmEngine.NAME)) {
            return new Address.Engine();
        }
        try {
            return list(base, "/workers", Address::ofWorkers)
                    .or(() -> list(base, "/list_workers", Address::ofUrls))
                    .orElseGet(Address.Engine::new);
        } catch (EngineException silent) {
            return new Address.Silent();
        }
    }

    private Optional<Address> list(String base, String path, Function<JsonNode, Optional<Address>> reader) {
        return http.send(
                "GET",
                uri(base, path),
                null,
                null,
                LOOK,
                new Cancellation(),
                (status, head, in) -> status == 200 ? reader.apply(lenient(in.readAllBytes())) : Optional.empty());
    }

    /** A missing node where it is no JSON. */
    private static JsonNode lenient(byte[] body) {
        try {
            return JsonTree.readLenient(body);
        } catch (IOException page) {
            return MissingNode.getInstance();
        }
    }

    static String retryAfter(ClassicHttpResponse head) {
        var header = head.getFirstHeader("Retry-After");
        return header == null ? null : header.getValue();
    }

    static URI uri(String base, String path) {
        return URI.create(base + path);
    }

    @Override
    public void close() {
        replicas.close();
        http.close();
    }
}
