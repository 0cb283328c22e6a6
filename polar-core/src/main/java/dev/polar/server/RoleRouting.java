package dev.polar.server;

import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.PreMatching;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.ext.Provider;

/** Moves a path under the base of the role whose port it came to. A base that comes from outside is moved too, and so names nothing. */
@Provider
@PreMatching
public class RoleRouting implements ContainerRequestFilter {
    @Inject
    private PolarServer server;

    @Context
    private HttpServletRequest servletRequest;

    @Override
    public void filter(ContainerRequestContext request) {
        var role = server.listeners()
                .at(servletRequest.getLocalPort())
                .map(kind -> kind == Listeners.Kind.ROLLOUT ? Role.ROLLOUT : Role.GATEWAY)
                .orElseThrow(() -> new ProblemException(404, "Not Found"));
        var uri = request.getUriInfo();
        var path = uri.getRequestUri().getRawPath();
        var base = uri.getBaseUri().getRawPath();
        var relative = path.startsWith(base) ? path.substring(base.length()) : path;
        request.setRequestUri(uri.getRequestUriBuilder()
                .replacePath(base + role.base() + (relative.isEmpty() ? "" : "/" + relative))
                .build());
    }
}
