package dev.polar.inference;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.pool.PoolConcurrencyPolicy;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;

/** HTTP/1.1 to the engines: blocking, for virtual threads; bodies of known length; nothing is retried but a pooled connection that turned out to be dead. Thread-safe. */
final class EngineHttp implements AutoCloseable {
    private static final int MAX_CONNECTIONS = 16_384;
    // uvicorn closes what was idle for 5 s
    private static final Timeout IDLE = Timeout.ofSeconds(4);
    private static final TimeValue CHECK_AFTER = TimeValue.ofSeconds(1);
    private static final Timeout CONNECT = Timeout.ofSeconds(10);

    private final PoolingHttpClientConnectionManager connections;
    private final CloseableHttpClient client;

    EngineHttp() {
        connections = PoolingHttpClientConnectionManagerBuilder.create()
                .setMaxConnTotal(MAX_CONNECTIONS)
                .setMaxConnPerRoute(MAX_CONNECTIONS)
                .setPoolConcurrencyPolicy(PoolConcurrencyPolicy.LAX)
                .setDefaultConnectionConfig(ConnectionConfig.custom()
                        .setConnectTimeout(CONNECT)
                        .setIdleTimeout(IDLE)
                        .setValidateAfterInactivity(CHECK_AFTER)
                        .build())
                .build();
        client = HttpClientBuilder.create()
                .setConnectionManager(connections)
                .disableAutomaticRetries()
                .disableRedirectHandling()
                .disableCookieManagement()
                .disableContentCompression()
                .disableAuthCaching()
                .disableConnectionState()
                .disableDefaultUserAgent()
                .build();
    }

    /** Reads an answer's body. */
    interface Reader<T> {
        T read(int status, ClassicHttpResponse head, InputStream body) throws IOException;
    }

    /**
     * One request.
     *
     * @param body JSON, or null for none
     * @param bearer a key, or null
     * @param silence how long nothing may come
     * @throws EngineException where no answer came, or its body broke off
     */
    <T> T send(
            String method,
            URI uri,
            byte[] body,
            String bearer,
            Duration silence,
            Cancellation cancellation,
            Reader<T> reader) {
        try {
            return once(method, uri, body, bearer, silence, cancellation, reader);
        } catch (DeadConnectionException dead) {
            // the engine had closed it, and most likely its neighbours in the pool too
            connections.closeIdle(TimeValue.ZERO_MILLISECONDS);
        }
        try {
            return once(method, uri, body, bearer, silence, cancellation, reader);
        } catch (DeadConnectionException dead) {
            throw broken(uri, dead.getCause());
        }
    }

    private <T> T once(
            String method,
            URI uri,
            byte[] body,
            String bearer,
            Duration silence,
            Cancellation cancellation,
            Reader<T> reader) {
        var request = request(method, uri, body, bearer, silence);
        var context = HttpClientContext.create();
        cancellation.whileIn(request::cancel);
        boolean answered = false;
        try (var response = client.executeOpen(null, request, context)) {
            answered = true;
            var entity = response.getEntity();
            try (var in = entity == null ? InputStream.nullInputStream() : entity.getContent()) {
                return read(reader, response, in, request);
            }
        } catch (EngineException said) {
            throw cancellation.isCancelled() ? EngineException.aborted() : said;
        } catch (IOException | RuntimeException failure) {
            if (cancellation.isCancelled()) {
                throw EngineException.aborted();
            }
            throw translate(uri, failure, silence, answered, context);
        } finally {
            cancellation.done();
        }
    }

    /** Closing a body reads it to its end: one that is of no use any more is cut off before. */
    private static <T> T read(
            Reader<T> reader, ClassicHttpResponse response, InputStream in, HttpUriRequestBase request)
            throws IOException {
        try {
            return reader.read(response.getCode(), response, in);
        } catch (IOException | RuntimeException useless) {
            request.cancel();
            throw useless;
        }
    }

    private static HttpUriRequestBase request(String method, URI uri, byte[] body, String bearer, Duration silence) {
        var request = new HttpUriRequestBase(method, uri);
        request.setConfig(RequestConfig.custom()
                .setResponseTimeout(Timeout.of(silence))
                .setProtocolUpgradeEnabled(false)
                .build());
        if (body != null) {
            request.setEntity(new ByteArrayEntity(body, ContentType.APPLICATION_JSON));
        }
        if (bearer != null) {
            request.setHeader("Authorization", "Bearer " + bearer);
        }
        return request;
    }

    private static RuntimeException translate(
            URI uri, Exception failure, Duration silence, boolean answered, HttpClientContext context) {
        if (failure instanceof ConnectTimeoutException
                || failure instanceof ConnectException
                || failure instanceof UnknownHostException) {
            return EngineException.of(
                    EngineException.Kind.UNREACHABLE,
                    502,
                    "no connection to the inference server at " + place(uri) + ": " + failure.getMessage(),
                    failure);
        }
        if (failure instanceof SocketTimeoutException) {
            return EngineException.of(
                    EngineException.Kind.SILENT,
                    504,
                    "connection error: the inference server at " + place(uri) + " was silent for " + silence.toSeconds()
                            + " s: the call was given up",
                    failure);
        }
        if (failure instanceof InterruptedIOException) {
            return EngineException.aborted();
        }
        var endpoint = context.getEndpointDetails();
        if (!answered && failure instanceof IOException && endpoint != null && endpoint.getResponseCount() > 0) {
            return new DeadConnectionException(failure);
        }
        return broken(uri, failure);
    }

    private static EngineException broken(URI uri, Throwable failure) {
        return EngineException.of(
                EngineException.Kind.BROKEN,
                502,
                // some agents try again only after an error in whose text they find such words
                "connection error: the inference server at " + place(uri) + " broke off: " + failure.getMessage(),
                failure);
    }

    private static String place(URI uri) {
        return uri.getScheme() + "://" + uri.getAuthority();
    }

    @Override
    public void close() {
        client.close(CloseMode.IMMEDIATE);
        connections.close(CloseMode.IMMEDIATE);
    }

    /** A connection out of the pool that failed before the answer's first byte: the engine has not started on the request, or never got it. */
    private static final class DeadConnectionException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        DeadConnectionException(Throwable cause) {
            super(cause);
        }
    }
}
