package dev.polar.proxy;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/** One HTTP request and its answer, whatever container carries it. Used by one thread at a time. */
public interface ProxyExchange {
    String method();

    /** The path with percent escapes decoded. */
    String path();

    /** A query parameter, or null. */
    String query(String name);

    /** A header, or null. */
    String header(String name);

    /** All headers, names in lower case. */
    Map<String, String> headers();

    /** -1 where it is not said. */
    long contentLength();

    InputStream body() throws IOException;

    /** Sends a whole answer, its length known. */
    void respond(int status, String contentType, Map<String, String> headers, byte[] body) throws IOException;

    /** Starts an answer of unknown length with status 200 and these headers, and sends its head at once. */
    void open(String contentType, Map<String, String> headers) throws IOException;

    /**
     * Sends more of an opened answer, at once.
     *
     * @throws IOException where the caller has gone
     */
    void write(byte[] bytes) throws IOException;
}
