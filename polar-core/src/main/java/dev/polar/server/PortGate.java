package dev.polar.server;

import jakarta.inject.Inject;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Lets a request through only where its address can be read and its port serves it: proxy rows never at the rollout server's, nothing but them (and {@code /}) at the agents' own. */
public class PortGate extends HttpFilter {
    private static final long serialVersionUID = 1L;

    @Inject
    private transient PolarServer server;

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse answer, FilterChain chain)
            throws IOException, ServletException {
        var kind = server.listeners().at(request.getLocalPort());
        if (server.failure().isPresent()) {
            Problem.write(
                    answer,
                    503,
                    "the server could not start: " + server.failure().get());
        } else if (!server.ready()) {
            Problem.write(answer, 503, "the server is starting or stopping");
        } else if (!Escapes.wellFormed(request.getRequestURI()) || !Escapes.wellFormed(request.getQueryString())) {
            // What answers below would take it for an error of its own, with a page for people and a stack trace.
            Problem.write(answer, 400, "the path or the query is no percent-encoded UTF-8 text: encode it");
        } else if (kind.isPresent() && serves(kind.get(), request)) {
            chain.doFilter(request, answer);
        } else {
            Problem.write(answer, 404, "Not Found");
        }
    }

    private static boolean serves(Listeners.Kind kind, HttpServletRequest request) {
        boolean proxied = ProxyRows.includes(request);
        return switch (kind) {
            case ROLLOUT -> !proxied;
            case GATEWAY -> true;
            case AGENT -> proxied || ProxyRows.isRoot(request);
        };
    }
}
