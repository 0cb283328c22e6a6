package dev.polar.rollout;

import dev.polar.server.ProblemException;
import dev.polar.server.Role;
import dev.polar.server.Waiting;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** What a trainer tells all inference servers at once, around a weight update. */
@ApplicationScoped
@Path(Role.ROLLOUT_BASE + "/rollout/admin")
public class AdminResource {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** A gateway waits at most that long for its running generations unless it is told otherwise. */
    private static final Duration DRAIN = Duration.ofMinutes(10);

    @Inject
    private RolloutService rollout;

    @POST
    @Path("inference/pause")
    @Operation(summary = "Let running generations finish and new ones wait, on every gateway")
    public void pause(@QueryParam("timeout_seconds") String timeoutSeconds, @Suspended AsyncResponse response) {
        var given = timeoutSeconds == null ? null : seconds(timeoutSeconds);
        ask(
                response,
                "POST",
                "/admin/inference/pause" + (given == null ? "" : "?timeout_seconds=" + given),
                given == null ? DRAIN : PATIENCE.plusMillis(Math.round(given * 1000)));
    }

    @POST
    @Path("inference/resume")
    @Operation(summary = "Let generations go on, on every gateway")
    public void resume(@Suspended AsyncResponse response) {
        ask(response, "POST", "/admin/inference/resume", PATIENCE);
    }

    @GET
    @Path("inference/status")
    @Operation(summary = "Whether generations are paused, per gateway")
    public void status(@Suspended AsyncResponse response) {
        ask(response, "GET", "/admin/inference/status", PATIENCE);
    }

    @POST
    @Path("policy_version")
    @Operation(summary = "Name the policy's version, on every gateway")
    public void policyVersion(@QueryParam("version") String version, @Suspended AsyncResponse response) {
        if (version == null || version.isBlank()) {
            throw new ProblemException(422, "version: is required, as a query parameter");
        }
        ask(response, "POST", "/admin/policy_version?version=" + HttpCalls.segment(version), PATIENCE);
    }

    private void ask(AsyncResponse response, String method, String path, Duration patience) {
        Waiting.answer(response, () -> {
            var answer = rollout.server().fanOut().ask(method, path, patience);
            return Response.status(answer.allFailed() ? 502 : 200)
                    .type(MediaType.APPLICATION_JSON_TYPE)
                    .entity(body(answer))
                    .build();
        });
    }

    private static Map<String, Object> body(FanOut.Answer answer) {
        var body = new LinkedHashMap<String, Object>();
        body.put("nodes", answer.nodes());
        body.put("all_paused", answer.allPaused());
        if (answer.allFailed()) {
            body.put("detail", "no node did what was asked: see nodes for what each said");
        }
        return body;
    }

    private static double seconds(String text) {
        try {
            double seconds = Double.parseDouble(text);
            if (Double.isFinite(seconds) && seconds >= 0) {
                return seconds;
            }
        } catch (NumberFormatException notANumber) {
            // refused below, with the value
        }
        throw new ProblemException(422, "timeout_seconds: '" + text + "' must be a number of seconds, at least 0");
    }
}
