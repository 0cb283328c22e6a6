package dev.polar.spi;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import java.util.Locale;

/**
 * A tool server that the agent is told of.
 *
 * @param name as the agent shows it
 * @param transport how it is reached; {@code stdio} by default
 * @param command program of a {@code stdio} server, else null
 * @param args its arguments
 * @param url address of the other two, else null
 */
public record McpServer(String name, Transport transport, String command, List<String> args, String url) {
    public McpServer {
        Check.text("name", name);
        transport = Check.orElse(transport, Transport.STDIO);
        args = Check.list(args);
        if (transport == Transport.STDIO) {
            Check.text("command", command);
        } else {
            Check.httpUrl("url", Check.text("url", url));
        }
    }

    /** How the agent reaches the server. */
    public enum Transport {
        STDIO,
        SSE,
        STREAMABLE_HTTP;

        @JsonValue
        public String wire() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** @throws InvalidValueException for a word that is none of them */
        @JsonCreator
        public static Transport of(String word) {
            for (var transport : values()) {
                if (transport.wire().equals(word)) {
                    return transport;
                }
            }
            throw new InvalidValueException("transport", "'" + word + "' is none of stdio, sse, streamable-http");
        }
    }
}
