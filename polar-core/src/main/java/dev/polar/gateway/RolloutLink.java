package dev.polar.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.spi.NodeRegistration;
import dev.polar.spi.NodeStageMetrics;
import dev.polar.wire.Json;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
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
import org.apache.hc.core5.http.io.entity.FileEntity;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;

/** The calls that a node makes to the rollout server. Retries nothing: callers do. Thread-safe. */
final class RolloutLink implements AutoCloseable {
    static final String TOKEN_HEADER = "X-Polar-Control-Token";
    private static final int MAX_ANSWER_BYTES = 1 << 20;
    private static final Timeout CONNECT = Timeout.ofSeconds(5);
    private static final Timeout SILENCE = Timeout.ofSeconds(60);

    private final String rolloutUrl;
    private final String controlToken;
    private final CloseableHttpClient http;

    /**
     * What was answered.
     *
     * @param status HTTP status
     * @param body parsed, or null where it is no JSON
     */
    record Answer(int status, JsonNode body) {
        boolean ok() {
            return status / 100 == 2;
        }
    }

    /**
     * @param rolloutUrl without a trailing slash
     * @param controlToken sent with each call, or null
     */
    RolloutLink(String rolloutUrl, String controlToken) {
        this.rolloutUrl = rolloutUrl;
        this.controlToken = controlToken;
        var connections = PoolingHttpClientConnectionManagerBuilder.create()
                .setDefaultConnectionConfig(ConnectionConfig.custom()
                        .setConnectTimeout(CONNECT)
                        .setSocketTimeout(SILENCE)
                        // Servers close idle connections after a few seconds; one that is older is not trusted.
                        .setTimeToLive(TimeValue.ofSeconds(30))
                        .setValidateAfterInactivity(TimeValue.ofSeconds(1))
                        .build())
                .setMaxConnTotal(32)
                .setMaxConnPerRoute(32)
                .build();
        this.http = HttpClients.custom()
                .setConnectionManager(connections)
                .setDefaultRequestConfig(
                        RequestConfig.custom().setResponseTimeout(SILENCE).build())
                .disableAutomaticRetries()
                .disableContentCompression()
                .disableCookieManagement()
                .disableRedirectHandling()
                .build();
    }

    Answer register(NodeRegistration registration) throws IOException {
        return post("/nodes/register", json(registration));
    }

    Answer heartbeat(String nodeId, NodeStageMetrics metrics) throws IOException {
        return post("/nodes/" + segment(nodeId) + "/heartbeat", json(Map.of("metrics", metrics)));
    }

    /** Asks for no more sessions. */
    Answer drain(String nodeId) throws IOException {
        return send(new HttpUriRequestBase("DELETE", java.net.URI.create(rolloutUrl + "/nodes/" + segment(nodeId))));
    }

    /** Streams a spooled result, with its length. */
    Answer result(Path file) throws IOException {
        return post("/callbacks/session_result", new FileEntity(file.toFile(), ContentType.APPLICATION_JSON));
    }

    /** The same for one that could not be spooled. */
    Answer result(byte[] json) throws IOException {
        return post("/callbacks/session_result", new ByteArrayEntity(json, ContentType.APPLICATION_JSON));
    }

    private Answer post(String path, HttpEntity body) throws IOException {
        var request = new HttpUriRequestBase("POST", java.net.URI.create(rolloutUrl + path));
        request.setEntity(body);
        return send(request);
    }

    private Answer send(HttpUriRequestBase request) throws IOException {
        if (controlToken != null) {
            request.setHeader(TOKEN_HEADER, controlToken);
        }
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

    private static HttpEntity json(Object value) throws IOException {
        return new ByteArrayEntity(Json.MAPPER.writeValueAsBytes(value), ContentType.APPLICATION_JSON);
    }

    private static String segment(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    @Override
    public void close() {
        http.close(org.apache.hc.core5.io.CloseMode.GRACEFUL);
    }
}
