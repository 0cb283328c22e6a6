package dev.polar.events;

import dev.polar.server.Role;
import dev.polar.server.Waiting;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.IOException;

/** Answers {@code GET /events} of a role. */
final class EventStreams {
    private EventStreams() {}

    static void answer(EventHub hub, Role role, String lastEventId, AsyncResponse response) {
        Waiting.answer(
                response,
                () -> Response.ok((StreamingOutput) out -> {
                            try {
                                hub.of(role).stream(lastEventId, out);
                            } catch (InterruptedException stopped) {
                                Thread.currentThread().interrupt();
                            } catch (IOException gone) {
                                // the reader has gone: nothing is left to be told to anyone
                            }
                        })
                        .type("text/event-stream")
                        .header(HttpHeaders.CACHE_CONTROL, "no-cache")
                        .build());
    }
}
