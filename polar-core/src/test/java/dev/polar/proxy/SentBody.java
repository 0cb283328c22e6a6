package dev.polar.proxy;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.Map;

/** A request of these bytes, of which only the body is read. */
record SentBody(byte[] bytes) implements ProxyExchange {
    @Override
    public InputStream body() {
        return new ByteArrayInputStream(bytes);
    }

    @Override
    public String method() {
        return "POST";
    }

    @Override
    public String path() {
        return "/";
    }

    @Override
    public String query(String name) {
        return null;
    }

    @Override
    public String header(String name) {
        return null;
    }

    @Override
    public Map<String, String> headers() {
        return Map.of();
    }

    @Override
    public long contentLength() {
        return bytes.length;
    }

    @Override
    public void respond(int status, String contentType, Map<String, String> headers, byte[] body) {
        throw new AssertionError("nothing is answered here");
    }

    @Override
    public void open(String contentType, Map<String, String> headers) {
        throw new AssertionError("nothing is answered here");
    }

    @Override
    public void write(byte[] bytes) {
        throw new AssertionError("nothing is answered here");
    }
}
