package dev.polar.proxy;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** An exchange that a servlet container carries. */
final class ServletExchange implements ProxyExchange {
    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private Map<String, String> headers;

    ServletExchange(HttpServletRequest request, HttpServletResponse response) {
        this.request = request;
        this.response = response;
    }

    @Override
    public String method() {
        return request.getMethod();
    }

    /** Decoded here: the container does not match {@code %3A}. */
    @Override
    public String path() {
        var raw = request.getRequestURI();
        int parameters = raw.indexOf(';');
        var path = parameters < 0 ? raw : raw.substring(0, parameters);
        return path.indexOf('%') < 0 ? path : URLDecoder.decode(path.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /** Out of the query string alone: the container would look for parameters in a form body too. */
    @Override
    public String query(String name) {
        var query = request.getQueryString();
        if (query == null) {
            return null;
        }
        for (var pair : query.split("&")) {
            int equals = pair.indexOf('=');
            if (equals > 0 && pair.substring(0, equals).equals(name)) {
                return URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8);
            }
        }
        return null;
    }

    @Override
    public String header(String name) {
        return request.getHeader(name);
    }

    @Override
    public Map<String, String> headers() {
        if (headers == null) {
            headers = new HashMap<>();
            for (var name : Collections.list(request.getHeaderNames())) {
                headers.put(name.toLowerCase(Locale.ROOT), request.getHeader(name));
            }
        }
        return headers;
    }

    @Override
    public long contentLength() {
        return request.getContentLengthLong();
    }

    @Override
    public InputStream body() throws IOException {
        return request.getInputStream();
    }

    @Override
    public void respond(int status, String contentType, Map<String, String> headers, byte[] body) throws IOException {
        response.setStatus(status);
        response.setContentType(contentType);
        response.setContentLength(body.length);
        headers.forEach(response::setHeader);
        if (!request.getMethod().equals("HEAD")) {
            var out = response.getOutputStream();
            out.write(body);
            // so that a caller that has gone is seen here, and not after the call was marked as delivered
            out.flush();
        }
    }

    @Override
    public void open(String contentType, Map<String, String> headers) throws IOException {
        response.setStatus(200);
        response.setContentType(contentType);
        response.setHeader("Cache-Control", "no-cache");
        response.setHeader("X-Accel-Buffering", "no");
        headers.forEach(response::setHeader);
        // the container keeps the first event back until a second flush
        response.flushBuffer();
    }

    @Override
    public void write(byte[] bytes) throws IOException {
        var out = response.getOutputStream();
        out.write(bytes);
        out.flush();
    }
}
