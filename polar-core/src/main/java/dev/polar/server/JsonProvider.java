package dev.polar.server;

import com.fasterxml.jackson.jakarta.rs.json.JacksonJsonProvider;
import dev.polar.wire.Json;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.ext.Provider;

/** Our mapper for the bodies of resources. */
@Provider
@Consumes(MediaType.APPLICATION_JSON)
@Produces(MediaType.APPLICATION_JSON)
public class JsonProvider extends JacksonJsonProvider {
    public JsonProvider() {
        super(Json.MAPPER);
    }
}
