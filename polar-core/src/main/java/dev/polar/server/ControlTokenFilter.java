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

/**
 * Asks for the control token on everything but the proxy rows, {@code /} and {@code /health}. With scope {@code public} it leaves that to {@link ControlRouteFilter}, and of {@code POST /sessions}
 * to the gateway, which sees in the body whether it is a dispatch.
 */
public class ControlTokenFilter extends HttpFilter {
    static final String NEEDED = "this route needs the control token in the header " + ControlToken.HEADER;

    private static final long serialVersionUID = 1L;

    @Inject
    private transient PolarServer server;

    @Inject
    private transient ControlToken token;

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse answer, FilterChain chain)
            throws IOException, ServletException {
        if (needed(request) && !token.accepts(request.getHeader(ControlToken.HEADER))) {
            Problem.write(answer, 401, NEEDED);
        } else {
            chain.doFilter(request, answer);
        }
    }

    private boolean needed(HttpServletRequest request) {
        if (ProxyRows.includes(request) || ProxyRows.isRoot(request) || isHealth(request)) {
            return false;
        }
        return server.topology().controlTokenScope() == ControlTokenScope.ALL;
    }

    private static boolean isHealth(HttpServletRequest request) {
        return request.getMethod().equals("GET") && request.getRequestURI().equals("/health");
    }
}
