package dev.polar.rollout;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.security.ControlToken;
import dev.polar.topology.RolloutConfig;
import dev.polar.wire.Json;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.InputStreamEntity;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;

/** The calls that the rollout server makes: to nodes, with the control token, and to trainers, without. HTTP/1.1, bodies with their length, no redirects; retries nothing. Thread-safe. */
final class HttpCalls implements AutoCloseable {
    private static final int MAX_ANSWER_BYTES = 1 << 20;
    /** Public servers look for this and nothing after it. */
    private static final ContentType JSON = ContentType.create("application/json");

    private static final Timeout CONNECT = Timeout.ofSeconds(10);
    private static final Timeout SILENCE = Timeout.ofSeconds(60);

    private final ControlToken token;
    private final CloseableHttpClient http;

    /**
     * What was answered.
     *
     * @param body parsed; null where it is no JSON
     */
    record Answer(int status, JsonNode body) {
        boolean ok() {
            return status / 100 == 2;
        }

        /** What an error says. */
        String detail() {
            return body != null && body.path("detail").isTextual()
                    ? body.get("detail").asText()
                    : "HTTP " + status;
        }
    }

    HttpCalls(RolloutConfig config, ControlToken token) {
        this.token = token;
        var connections = PoolingHttpClientConnectionManagerBuilder.create()
                .setDefaultConnectionConfig(ConnectionConfig.custom()
                        .setConnectTimeout(CONNECT)
                        .setSocketTimeout(SILENCE)
                        .setValidateAfterInactivity(TimeValue.ofSeconds(1))
                        .build())
                .setMaxConnTotal(config.httpMaxConnections())
                .setMaxConnPerRoute(config.httpMaxConnections())
                .build();
        // Servers close idle connections after a few seconds.
        http = HttpClients.custom()
                .setConnectionManager(connections)
                .setDefaultRequestConfig(RequestConfig.custom()
                        .setResponseTimeout(SILENCE)
                        .setConnectionKeepAlive(TimeValue.ofSeconds(4))
                        .build())
                .evictIdleConnections(TimeValue.ofSeconds(4))
                .disableAutomaticRetries()
                .disableContentCompression()
                .disableCookieManagement()
                .disableRedirectHandling()
                .disableAuthCaching()
                .build();
    }

    Answer get(String url) throws IOException {
        return toNode("GET", url, null, null);
    }

    Answer delete(String url) throws IOException {
        return toNode("DELETE", url, null, null);
    }

    Answer post(String url, Object body) throws IOException {
        var bytes = Json.MAPPER.writeValueAsBytes(body);
        return toNode("POST", url, new ByteArrayEntity(bytes, JSON), null);
    }

    /** A call without a body that may take that long. */
    Answer command(String method, String url, Duration patience) throws IOException {
        return toNode(method, url, null, patience);
    }

    private Answer toNode(String method, String url, HttpEntity body, Duration patience) throws IOException {
        var request = new HttpUriRequestBase(method, URI.create(url));
        request.setEntity(body);
        token.value().ifPresent(secret -> request.setHeader(ControlToken.HEADER, secret));
        if (patience != null) {
            request.setConfig(RequestConfig.custom()
                    .setResponseTimeout(Timeout.of(patience))
                    .build());
        }
        return send(request);
    }

    /** Posts a task's result to its trainer. */
    Answer callback(String url, String taskId, TaskDocument document) throws IOException {
        var request = new HttpUriRequestBase("POST", URI.create(url));
        request.setHeader("Idempotency-Key", headerText(taskId));
        try (var in = document.open()) {
            request.setEntity(new InputStreamEntity(in, document.length(), JSON));
            return send(request);
        }
    }

    private Answer send(HttpUriRequestBase request) throws IOException {
        return http.execute(request, response -> {
            var entity = response.getEntity();
            var text = entity == null ? "" : EntityUtils.toString(entity, StandardCharsets.UTF_8, MAX_ANSWER_BYTES);
            return new Answer(response.getCode(), parsed(text));
        });
    }

    private static JsonNode parsed(String text) {
        try {
            return Json.MAPPER.readTree(text);
        } catch (IOException notJson) {
            return null;
        }
    }

    /** A header takes ASCII: an id with other characters is sent percent-encoded. */
    private static String headerText(String id) {
        return id.chars().allMatch(c -> c >= ' ' && c < 127) ? id : segment(id);
    }

    /** One path segment. */
    static String segment(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    @Override
    public void close() {
        http.close(CloseMode.IMMEDIATE);
    }
}
