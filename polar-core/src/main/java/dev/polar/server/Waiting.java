package dev.polar.server;

import jakarta.ws.rs.container.AsyncResponse;
import java.util.concurrent.Callable;

/** Gives the container its thread back while a resource method waits. */
public final class Waiting {
    private Waiting() {}

    /**
     * Runs {@code work} on a virtual thread of its own and answers with what it returns or throws.
     *
     * <p>A resource method that can wait takes {@code @Suspended AsyncResponse} and does nothing but call this.
     */
    public static void answer(AsyncResponse response, Callable<?> work) {
        Thread.ofVirtual().name("request-", 0).start(() -> {
            try {
                response.resume(work.call());
            } catch (Exception | Error thrown) {
                response.resume(thrown);
            }
        });
    }
}
