package dev.polar.proxy;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.github.luben.zstd.ZstdIOException;
import com.github.luben.zstd.ZstdInputStream;
import dev.polar.inference.JsonTree;
import java.io.CharConversionException;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/** Reads request bodies: decodes their content coding, and counts what comes out of it. */
final class RequestBody {
    private RequestBody() {}

    /**
     * The body as a JSON object.
     *
     * @param limitBytes decoded bytes that are read at most
     * @throws RefusedException 400 where it is no JSON object, 413 where it is too long, 415 for an unknown coding
     */
    static ObjectNode read(ProxyExchange exchange, long limitBytes) throws IOException {
        if (exchange.contentLength() > limitBytes) {
            throw tooLarge(limitBytes);
        }
        try (var in = new Limited(decoded(exchange), limitBytes)) {
            if (JsonTree.read(in) instanceof ObjectNode object) {
                return object;
            }
            throw RefusedException.invalid("", "the body must be a JSON object");
        } catch (JacksonException notJson) {
            throw RefusedException.invalid("", "the body is not JSON: " + firstLine(notJson.getOriginalMessage()));
        } catch (CharConversionException notText) {
            // looks like UTF-32 by its first bytes, and is not
            throw RefusedException.invalid("", "the body is not JSON: " + firstLine(notText.getMessage()));
        } catch (TooLongException tooLong) {
            throw tooLarge(limitBytes);
        } catch (ZipException | ZstdIOException broken) {
            throw miscoded(exchange);
        } catch (EOFException endsEarly) {
            // of a body without a coding, the caller has gone
            if (exchange.header("content-encoding") == null) {
                throw endsEarly;
            }
            throw miscoded(exchange);
        }
    }

    private static RefusedException miscoded(ProxyExchange exchange) {
        return RefusedException.invalid(
                "", "the body is not " + exchange.header("content-encoding") + ", as its content encoding says");
    }

    private static InputStream decoded(ProxyExchange exchange) throws IOException {
        var coding = exchange.header("content-encoding");
        var body = new Unclosed(exchange.body());
        if (coding == null) {
            return body;
        }
        return switch (coding.strip().toLowerCase(Locale.ROOT)) {
            case "", "identity" -> body;
            case "gzip", "x-gzip" -> new GZIPInputStream(body, 8192);
            case "zstd" -> new ZstdInputStream(body);
            default ->
                throw new RefusedException(
                        Fault.of(415, "the content encoding '" + coding + "' is not known: send gzip, zstd or none"));
        };
    }

    private static RefusedException tooLarge(long limitBytes) {
        return new RefusedException(Fault.of(
                413,
                "the body is longer than " + (limitBytes >> 20) + " MiB: raise max_body_mb of the node, or send less"));
    }

    private static String firstLine(String text) {
        return text == null ? "" : text.lines().findFirst().orElse("");
    }

    /** The container's stream, which is the container's to close: broken, it throws the same exception again when it is closed. */
    private static final class Unclosed extends FilterInputStream {
        Unclosed(InputStream in) {
            super(in);
        }

        @Override
        public void close() {}
    }

    /** Fails after a number of bytes. */
    private static final class Limited extends InputStream {
        private final InputStream in;
        private long left;

        Limited(InputStream in, long limit) {
            this.in = in;
            this.left = limit;
        }

        @Override
        public int read() throws IOException {
            int next = in.read();
            if (next >= 0) {
                count(1);
            }
            return next;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            int count = in.read(into, offset, length);
            if (count > 0) {
                count(count);
            }
            return count;
        }

        private void count(int bytes) throws TooLongException {
            left -= bytes;
            if (left < 0) {
                throw new TooLongException();
            }
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    private static final class TooLongException extends IOException {
        private static final long serialVersionUID = 1L;
    }
}
