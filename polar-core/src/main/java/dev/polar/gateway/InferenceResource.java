package dev.polar.gateway;

import dev.polar.inference.InferenceControl.Status;
import dev.polar.server.ProblemException;
import dev.polar.server.Role;
import dev.polar.server.Waiting;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.MediaType;
import java.time.Duration;

/** Holds a node's generations for a change of weights. Calls come with any content type or none, and an empty body. */
@Path(Role.GATEWAY_BASE + "/admin")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class InferenceResource {
    private static final double DEFAULT_SECONDS = 60;
    private static final double MAX_SECONDS = 86_400;

    private final GatewayService gateway;

    /** For the container's proxy. */
    protected InferenceResource() {
        this(null);
    }

    @Inject
    public InferenceResource(GatewayService gateway) {
        this.gateway = gateway;
    }

    /** New generations wait from now on. Answers when none runs any more; 504 where some still do after the time given, and it stays paused. */
    @POST
    @Path("/inference/pause")
    public void pause(@QueryParam("timeout_seconds") String seconds, @Suspended AsyncResponse answer) {
        Waiting.answer(answer, () -> {
            var limit = limit(seconds);
            var status = gateway.control().pause(limit);
            if (!status.drained()) {
                throw new ProblemException(
                        504,
                        status.inflight() + " generations still run after " + Messages.number(limit.toMillis() / 1e3)
                                + " s; new ones wait: ask again, or resume");
            }
            return status;
        });
    }

    @POST
    @Path("/inference/resume")
    public Status resume() {
        return gateway.control().resume();
    }

    @GET
    @Path("/inference/status")
    public Status status() {
        return gateway.control().status();
    }

    /** The version of the weights that sample from now on. */
    @POST
    @Path("/policy_version")
    public Status policyVersion(@QueryParam("version") String version) {
        if (version == null || version.isBlank()) {
            throw new ProblemException(422, "version: is required, as a query parameter");
        }
        return gateway.control().policyVersion(version);
    }

    private static Duration limit(String seconds) {
        try {
            double value = seconds == null || seconds.isBlank() ? DEFAULT_SECONDS : Double.parseDouble(seconds);
            if (value >= 0 && value <= MAX_SECONDS) {
                return Duration.ofMillis((long) (value * 1000));
            }
        } catch (NumberFormatException notANumber) {
            // refused below, with the value
        }
        throw new ProblemException(
                422, "timeout_seconds: '" + seconds + "' is no number of seconds in 0.." + (long) MAX_SECONDS);
    }
}
