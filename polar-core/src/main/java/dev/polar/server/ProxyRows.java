package dev.polar.server;

import jakarta.servlet.http.HttpServletRequest;

/** Which requests are an agent's: they need a session's key and no control token. */
public final class ProxyRows {
    private ProxyRows() {}

    /** {@code /v1/…}, {@code /v1beta/…} and {@code /s/…}, as the container has mapped it. */
    public static boolean includes(HttpServletRequest request) {
        var path = request.getServletPath();
        return path.equals("/v1")
                || path.equals("/v1beta")
                || path.equals("/s")
                || path.startsWith("/v1/")
                || path.startsWith("/v1beta/")
                || path.startsWith("/s/");
    }

    /** GET or HEAD of {@code /}. */
    public static boolean isRoot(HttpServletRequest request) {
        var method = request.getMethod();
        var path = request.getRequestURI();
        return (path.isEmpty() || path.equals("/")) && (method.equals("GET") || method.equals("HEAD"));
    }
}
