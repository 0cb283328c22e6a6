package dev.polar.proxy;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;

/** A caller without a network. */
final class InMemoryCall implements ProxyExchange {
    private final String path;
    private final String key;
    private final byte[] body;
    private int status;
    private String answer;

    InMemoryCall(String path, String key, byte[] body) {
        this.path = path;
        this.key = key;
        this.body = body;
    }

    @Override
    public String method() {
        return "POST";
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public String query(String name) {
        return null;
    }

    @Override
    public String header(String name) {
        return headers().get(name.toLowerCase(Locale.ROOT));
    }

    @Override
    public Map<String, String> headers() {
        return Map.of("authorization", "Bearer " + key, "content-type", "application/json");
    }

    @Override
    public long contentLength() {
        return body.length;
    }

    @Override
    public InputStream body() {
        return new ByteArrayInputStream(body);
    }

    @Override
    public void respond(int code, String contentType, Map<String, String> headers, byte[] bytes) {
        status = code;
        answer = new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public void open(String contentType, Map<String, String> headers) {
        status = 200;
    }

    @Override
    public void write(byte[] bytes) {
        answer = new String(bytes, StandardCharsets.UTF_8);
    }

    /** What it was answered with. */
    int status() {
        return status;
    }

    /** The last bytes of the answer, as text. */
    String answer() {
        return answer;
    }
}
