package dev.polar.server;

import com.fasterxml.jackson.core.JacksonException;
import dev.polar.spi.InvalidValueException;
import dev.polar.wire.BindingException;
import dev.polar.wire.NotJsonException;
import jakarta.ws.rs.ClientErrorException;
import jakarta.ws.rs.NotAllowedException;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.NotSupportedException;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns whatever a resource throws into a problem with {@code detail}. */
@Provider
public class ErrorMapper implements ExceptionMapper<Throwable> {
    private static final Logger LOG = LoggerFactory.getLogger(ErrorMapper.class);

    @Override
    public Response toResponse(Throwable thrown) {
        return switch (thrown) {
            case ProblemException problem -> Problem.response(problem.status(), problem.getMessage());
            case NotJsonException notJson -> Problem.response(400, notJson.getMessage());
            case BindingException invalid -> Problem.response(422, invalid.getMessage());
            case InvalidValueException invalid -> Problem.response(422, invalid.getMessage());
            case JacksonException notJson ->
                Problem.response(400, "the body is not the JSON that was expected: " + notJson.getOriginalMessage());
            case WebApplicationException web -> ofContainer(web);
            default -> unexpected(thrown);
        };
    }

    private static Response ofContainer(WebApplicationException thrown) {
        var given = thrown.getResponse();
        if (given.hasEntity() || given.getStatus() < 400) {
            return given;
        }
        var answer = Problem.response(given.getStatus(), detail(thrown));
        var allow = given.getHeaderString(HttpHeaders.ALLOW);
        return allow == null
                ? answer
                : Response.fromResponse(answer).header(HttpHeaders.ALLOW, allow).build();
    }

    private static String detail(WebApplicationException thrown) {
        return switch (thrown) {
            case NotFoundException missing -> "Not Found";
            case NotAllowedException method -> "Method Not Allowed";
            case NotSupportedException type -> "Unsupported Media Type: send application/json";
            case ClientErrorException client when client.getMessage() != null -> client.getMessage();
            default -> thrown.getResponse().getStatusInfo().getReasonPhrase();
        };
    }

    private static Response unexpected(Throwable thrown) {
        LOG.error("a request failed", thrown);
        var message = thrown.getMessage();
        return Problem.response(
                500, "internal error: " + thrown.getClass().getSimpleName() + (message == null ? "" : ": " + message));
    }
}
