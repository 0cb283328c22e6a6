package dev.polar.server;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.polar.wire.Json;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;

/** Errors on the wire: RFC 9457 problem JSON, whose {@code detail} public clients read. */
public final class Problem {
    private static final String TYPE = "application/problem+json";

    private Problem() {}

    public static Response response(int status, String detail) {
        return Response.status(status).type(TYPE).entity(json(status, detail)).build();
    }

    /** Writes the whole answer of a servlet. */
    public static void write(HttpServletResponse answer, int status, String detail) throws IOException {
        var body = json(status, detail);
        answer.setStatus(status);
        answer.setContentType(TYPE);
        answer.setContentLength(body.length);
        answer.getOutputStream().write(body);
    }

    private static byte[] json(int status, String detail) {
        var problem = new LinkedHashMap<String, Object>();
        var reason = Response.Status.fromStatusCode(status);
        problem.put("type", "about:blank");
        problem.put("title", reason == null ? "HTTP " + status : reason.getReasonPhrase());
        problem.put("status", status);
        problem.put("detail", detail);
        try {
            return Json.MAPPER.writeValueAsString(problem).getBytes(StandardCharsets.UTF_8);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
