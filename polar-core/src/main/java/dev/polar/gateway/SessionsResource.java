package dev.polar.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.security.ControlToken;
import dev.polar.server.ProblemException;
import dev.polar.server.Role;
import dev.polar.server.Waiting;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.SessionDispatch;
import dev.polar.wire.Binder;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;

/** A node's sessions over HTTP. */
@Path(Role.GATEWAY_BASE + "/sessions")
@RequestScoped
public class SessionsResource {
    private static final int MAX_BODY = 64 << 20;

    private final GatewayService gateway;

    /** For the container's proxy. */
    protected SessionsResource() {
        this(null);
    }

    @Inject
    public SessionsResource(GatewayService gateway) {
        this.gateway = gateway;
    }

    /** Takes a dispatched session, or registers a bare one. */
    @POST
    public void register(
            InputStream body, @HeaderParam(ControlToken.HEADER) String token, @Suspended AsyncResponse answer) {
        answer(answer, () -> {
            var request = read(body);
            return request.hasNonNull("agent") ? dispatch(request, token) : open(request);
        });
    }

    private Map<String, Object> dispatch(JsonNode request, String token) {
        if (gateway.refuses(token)) {
            throw new ProblemException(401, "a dispatch needs the control token in the header " + ControlToken.HEADER);
        }
        var session = gateway.node().dispatch(Binder.bindTolerant(request, SessionDispatch.class));
        var told = new LinkedHashMap<String, Object>();
        told.put("session_id", session.id());
        told.put("task_id", session.manifest().taskId());
        told.put("status", "REGISTERED");
        told.put("node_id", gateway.config().id());
        return told;
    }

    private Map<String, Object> open(JsonNode request) {
        var asked = Binder.bindTolerant(request, OpenRequest.class);
        var id = asked.sessionId() == null ? "sk-polar-" + UUID.randomUUID() : asked.sessionId();
        var session = gateway.node().open(id, asked.taskId());
        var told = new LinkedHashMap<String, Object>();
        told.put("session_id", session.id());
        told.put("task_id", session.manifest().taskId());
        told.put("created_at", session.manifest().createdAt());
        told.put("completion_count", 0);
        told.put("status", session.status());
        told.put("node_id", gateway.config().id());
        return told;
    }

    /** A bare session's registration. */
    record OpenRequest(String sessionId, String taskId) {}

    @GET
    public Map<String, Object> list() {
        var node = gateway.node();
        return Map.of(
                "sessions",
                node.sessions().stream().map(this::view).toList(),
                "node_id",
                gateway.config().id());
    }

    /** A session's status, with its result once it has ended. */
    @GET
    @Path("/{id}")
    public void get(@PathParam("id") String id, @Suspended AsyncResponse answer) {
        answer(answer, () -> {
            var view = view(gateway.node().known(id));
            var result = gateway.node().result(id);
            return result.isEmpty() ? view : json(out -> SessionJson.withResult(view, result.get(), out));
        });
    }

    private Map<String, Object> view(Session session) {
        return session.view(gateway.config().id());
    }

    /** Ends a bare session; asked again, it answers the same. */
    @POST
    @Path("/{id}/finish")
    public void finish(@PathParam("id") String id, InputStream body, @Suspended AsyncResponse answer) {
        answer(answer, () -> {
            var request = Binder.bind(readOrEmpty(body), FinishRequest.class, "");
            var node = gateway.node();
            if (!(node.known(id).manifest().bare() && node.known(id).status().terminal())) {
                node.finish(id, request);
            }
            var result =
                    node.result(id).orElseThrow(() -> new ProblemException(409, "session " + id + " has no result"));
            return json(out -> SessionJson.result(result, out));
        });
    }

    /** Cancels a session; what it held is given back after the answer. */
    @DELETE
    @Path("/{id}")
    public void delete(@PathParam("id") String id, @Suspended AsyncResponse answer) {
        answer(answer, () -> {
            int removed = gateway.node().delete(id);
            var told = new LinkedHashMap<String, Object>();
            told.put("session_id", id);
            told.put("deleted", true);
            told.put("messages_deleted", removed);
            return told;
        });
    }

    /** What was recorded, ids and log-probabilities written out. */
    @GET
    @Path("/{id}/completions")
    public void completions(@PathParam("id") String id, @Suspended AsyncResponse answer) {
        answer(answer, () -> {
            var node = gateway.node();
            node.known(id);
            return json(out -> node.writeCompletions(id, out));
        });
    }

    /** A picture of its prompts. Its bytes never change, so a caller may keep them for good. */
    @GET
    @Path("/{id}/images/{digest}")
    public void image(
            @PathParam("id") String id,
            @PathParam("digest") String digest,
            @HeaderParam(HttpHeaders.IF_NONE_MATCH) String held,
            @Suspended AsyncResponse answer) {
        answer(answer, () -> ImageAnswer.of(gateway.node().image(id, digest), held));
    }

    private static Response json(StreamingOutput output) {
        return Response.ok(output).type(MediaType.APPLICATION_JSON).build();
    }

    private static void answer(AsyncResponse answer, Callable<?> work) {
        Waiting.answer(answer, () -> {
            try {
                var value = work.call();
                return value instanceof Response
                        ? value
                        : Response.ok(value).type(MediaType.APPLICATION_JSON).build();
            } catch (SessionException refused) {
                throw new ProblemException(
                        switch (refused.kind()) {
                            case UNKNOWN -> 404;
                            case KNOWN, UNFIT -> 409;
                            case STOPPING -> 503;
                        },
                        refused.getMessage());
            } catch (ExtensionException refused) {
                // A name that nothing claims: the caller's to mend.
                throw new ProblemException(
                        refused.category() == ExtensionException.Category.REQUEST ? 422 : 500, refused.getMessage());
            }
        });
    }

    private static JsonNode read(InputStream body) throws IOException {
        return Binder.parse(bytes(body));
    }

    private static JsonNode readOrEmpty(InputStream body) throws IOException {
        var bytes = bytes(body);
        return Binder.parse(bytes.length == 0 ? new byte[] {'{', '}'} : bytes);
    }

    private static byte[] bytes(InputStream body) throws IOException {
        var bytes = body.readNBytes(MAX_BODY + 1);
        if (bytes.length > MAX_BODY) {
            throw new ProblemException(413, "the body is longer than " + MAX_BODY + " bytes");
        }
        return bytes;
    }
}
