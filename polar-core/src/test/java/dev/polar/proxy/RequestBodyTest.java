package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies that break while they are read. */
class RequestBodyTest {
    private static final long LIMIT = 1 << 20;

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"gzip", "zstd"})
    void a_stream_that_throws_one_exception_again_and_again_fails_with_that_one(String coding) {
        var broken = new IOException("the chunk's length is no number");
        assertThatThrownBy(() -> RequestBody.read(new BrokenExchange(coding, broken), LIMIT))
                .isSameAs(broken);
    }

    @Test
    void a_body_that_ends_early_tells_that_the_caller_has_gone() {
        var ended = new EOFException("connection closed");
        assertThatThrownBy(() -> RequestBody.read(new BrokenExchange(null, ended), LIMIT))
                .isSameAs(ended);
    }

    /** Behaves as Liberty's request stream: what broke it is thrown by every later call, {@code close} included. */
    private record BrokenExchange(String coding, IOException broken) implements ProxyExchange {
        @Override
        public InputStream body() {
            return new InputStream() {
                @Override
                public int read() throws IOException {
                    throw broken;
                }

                @Override
                public int read(byte[] into, int offset, int length) throws IOException {
                    throw broken;
                }

                @Override
                public void close() throws IOException {
                    throw broken;
                }
            };
        }

        @Override
        public String method() {
            return "POST";
        }

        @Override
        public String path() {
            return "/v1/chat/completions";
        }

        @Override
        public String query(String name) {
            return null;
        }

        @Override
        public String header(String name) {
            return name.equals("content-encoding") ? coding : null;
        }

        @Override
        public Map<String, String> headers() {
            return Map.of();
        }

        @Override
        public long contentLength() {
            return -1;
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
}
