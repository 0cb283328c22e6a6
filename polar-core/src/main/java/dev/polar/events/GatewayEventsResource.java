package dev.polar.events;

import dev.polar.server.Role;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** The gateway's events. */
@ApplicationScoped
@Path(Role.GATEWAY_BASE + "/events")
public class GatewayEventsResource {
    @Inject
    private EventHub hub;

    @GET
    @Operation(summary = "Follow what happens, as server-sent events")
    public void events(@HeaderParam("Last-Event-ID") String lastEventId, @Suspended AsyncResponse response) {
        EventStreams.answer(hub, Role.GATEWAY, lastEventId, response);
    }
}
