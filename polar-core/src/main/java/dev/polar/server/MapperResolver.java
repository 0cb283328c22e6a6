package dev.polar.server;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.polar.wire.Json;
import jakarta.ws.rs.ext.ContextResolver;
import jakarta.ws.rs.ext.Provider;

/** Our mapper for the bodies of resources: Jackson's own provider asks for it. */
@Provider
public class MapperResolver implements ContextResolver<ObjectMapper> {
    @Override
    public ObjectMapper getContext(Class<?> type) {
        return Json.MAPPER;
    }
}
