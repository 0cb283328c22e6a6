package dev.polar.server;

import dev.polar.security.ControlToken;
import dev.polar.topology.Topology.ControlTokenScope;
import jakarta.inject.Inject;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Asks for the control token on everything but the proxy rows, {@code /} and {@code /health}; with scope {@code public} on our own processes' routes and submit alone. */
public class ControlTokenFilter extends HttpFilter {
    private static final long serialVersionUID = 1L;

    @Inject
    private transient PolarServer server;

    @Inject
    private transient ControlToken token;

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse answer, FilterChain chain)
            throws IOException, ServletException {
        if (needed(request) && !token.accepts(request.getHeader(ControlToken.HEADER))) {
            Problem.write(answer, 401, "this route needs the control token in the header " + ControlToken.HEADER);
        } else {
            chain.doFilter(request, answer);
        }
    }

    private boolean needed(HttpServletRequest request) {
        if (ProxyRows.includes(request) || ProxyRows.isRoot(request) || isHealth(request)) {
            return false;
        }
        return server.topology().controlTokenScope() == ControlTokenScope.ALL || needsItAlways(request);
    }

    private static boolean isHealth(HttpServletRequest request) {
        return request.getMethod().equals("GET") && request.getRequestURI().equals("/health");
    }

    /** A POST of {@code /sessions} is told apart by its body: the gateway asks there, for dispatches. */
    private boolean needsItAlways(HttpServletRequest request) {
        if (server.listeners()
                        .at(request.getLocalPort())
                        .filter(Listeners.Kind.ROLLOUT::equals)
                        .isEmpty()
                || !request.getMethod().equals("POST")) {
            return false;
        }
        var path = request.getServletPath() + (request.getPathInfo() == null ? "" : request.getPathInfo());
        return path.equals("/nodes/register")
                || (path.startsWith("/nodes/") && path.endsWith("/heartbeat"))
                || path.equals("/callbacks/session_result")
                || path.equals("/rollout/task/submit");
    }
}
