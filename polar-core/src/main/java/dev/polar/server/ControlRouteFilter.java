package dev.polar.server;

import dev.polar.security.ControlToken;
import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.ext.Provider;

/** Asks for the control token once it is known which method answers: a path can be spelled in many ways, a method cannot. */
@Provider
@ControlRoute
@Priority(Priorities.AUTHENTICATION)
public class ControlRouteFilter implements ContainerRequestFilter {
    @Inject
    private ControlToken token;

    @Override
    public void filter(ContainerRequestContext request) {
        if (!token.accepts(request.getHeaderString(ControlToken.HEADER))) {
            request.abortWith(Problem.response(401, ControlTokenFilter.NEEDED));
        }
    }
}
