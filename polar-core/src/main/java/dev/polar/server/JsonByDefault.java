package dev.polar.server;

import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.ext.Provider;

/** An answer whose type nobody has named is JSON, whatever the caller accepts: public clients send all kinds of {@code Accept}. */
@Provider
public class JsonByDefault implements ContainerResponseFilter {
    @Override
    public void filter(ContainerRequestContext request, ContainerResponseContext response) {
        var type = response.getMediaType();
        if (response.hasEntity()
                && (type == null
                        || type.isWildcardType()
                        || type.isWildcardSubtype()
                        || type.isCompatible(MediaType.APPLICATION_OCTET_STREAM_TYPE))) {
            response.getHeaders().putSingle(HttpHeaders.CONTENT_TYPE, MediaType.APPLICATION_JSON_TYPE);
        }
    }
}
