package dev.polar.rollout;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.server.ControlRoute;
import dev.polar.server.ProblemException;
import dev.polar.server.Role;
import dev.polar.server.Waiting;
import dev.polar.spi.GatewayNodeInfo;
import dev.polar.spi.NodeRegistration;
import dev.polar.spi.NodeStageMetrics;
import dev.polar.wire.Binder;
import dev.polar.wire.BindingException;
import dev.polar.wire.Json;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** What gateways tell and operators ask of them. Bodies come from our own processes: unknown keys are tolerated. */
@ApplicationScoped
@Path(Role.ROLLOUT_BASE)
public class NodesResource {
    private static final int LARGEST_BODY_BYTES = 1 << 20;

    @Inject
    private RolloutService rollout;

    @GET
    @Path("health")
    @Operation(summary = "Says how many nodes are alive")
    public void health(@Suspended AsyncResponse response) {
        Waiting.answer(response, () -> {
            long alive = rollout.server().nodes().all().stream()
                    .filter(GatewayNodeInfo::healthy)
                    .count();
            return json(new Health("ok", alive));
        });
    }

    /** @param nodes those whose heartbeats have not stopped */
    private record Health(String status, long nodes) {}

    @POST
    @ControlRoute
    @Path("nodes/register")
    @Operation(summary = "A gateway makes itself known")
    public void register(InputStream body, @Suspended AsyncResponse response) {
        Waiting.answer(
                response, () -> json(rollout.server().nodes().register(bind(tree(body), NodeRegistration.class, ""))));
    }

    @POST
    @ControlRoute
    @Path("nodes/{id}/heartbeat")
    @Operation(summary = "A gateway lives, and is this full")
    public void heartbeat(@PathParam("id") String nodeId, InputStream body, @Suspended AsyncResponse response) {
        Waiting.answer(response, () -> {
            var metrics = tree(body).path("metrics");
            return json(rollout.server()
                    .nodes()
                    .heartbeat(
                            nodeId,
                            metrics.isObject()
                                    ? bind(metrics, NodeStageMetrics.class, "metrics")
                                    : NodeStageMetrics.IDLE)
                    .orElseThrow(() -> unknownNode(nodeId)));
        });
    }

    @GET
    @Path("nodes")
    @Operation(summary = "All registered gateways")
    public void list(@Suspended AsyncResponse response) {
        Waiting.answer(response, () -> json(rollout.server().nodes().all()));
    }

    @GET
    @Path("nodes/{id}")
    @Operation(summary = "A registered gateway")
    public void one(@PathParam("id") String nodeId, @Suspended AsyncResponse response) {
        Waiting.answer(
                response, () -> json(rollout.server().nodes().find(nodeId).orElseThrow(() -> unknownNode(nodeId))));
    }

    @DELETE
    @Path("nodes/{id}")
    @Operation(summary = "Give a gateway no new sessions")
    public void drain(@PathParam("id") String nodeId, @Suspended AsyncResponse response) {
        Waiting.answer(
                response, () -> json(rollout.server().nodes().drain(nodeId).orElseThrow(() -> unknownNode(nodeId))));
    }

    @POST
    @ControlRoute
    @Path("callbacks/session_result")
    @Operation(summary = "A gateway delivers a session's result")
    public void result(InputStream body, @Suspended AsyncResponse response) {
        Waiting.answer(response, () -> {
            var server = rollout.server();
            var received = server.files().receive(body);
            try {
                var verdict = server.sessions().result(received, ResultSummary.read(received));
                return json(Map.of("status", verdict.name().toLowerCase(java.util.Locale.ROOT)));
            } finally {
                Files.deleteIfExists(received);
            }
        });
    }

    private static JsonNode tree(InputStream body) throws java.io.IOException {
        var bytes = body.readNBytes(LARGEST_BODY_BYTES + 1);
        if (bytes.length > LARGEST_BODY_BYTES) {
            throw new ProblemException(413, "the body is larger than " + (LARGEST_BODY_BYTES >> 10) + " KiB");
        }
        return Binder.parse(bytes);
    }

    private static <T> T bind(JsonNode tree, Class<T> type, String path) {
        try {
            return Json.MAPPER.treeToValue(tree, type);
        } catch (JsonProcessingException refused) {
            throw new BindingException(path, refused.getOriginalMessage());
        }
    }

    private static ProblemException unknownNode(String nodeId) {
        return new ProblemException(404, "node '" + nodeId + "' is not registered");
    }

    private static Response json(Object body) {
        return Response.ok(body, MediaType.APPLICATION_JSON_TYPE).build();
    }
}
