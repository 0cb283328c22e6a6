package dev.polar.proxy;

import jakarta.inject.Inject;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hands each call to a virtual thread of its own and gives the container its thread back at once. */
@WebServlet(
        urlPatterns = {"/v1/*", "/v1beta/*", "/s/*"},
        asyncSupported = true)
public class ProxyServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;
    private static final Logger LOG = LoggerFactory.getLogger(ProxyServlet.class);

    @Inject
    private transient ProxyService service;

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) {
        var proxy = service.proxy();
        var async = request.startAsync(request, response);
        // the container's own limit of 30 s would write an error page into the answer
        async.setTimeout(0);
        Thread.ofVirtual().name("polar-call").start(() -> serve(proxy, async, new ServletExchange(request, response)));
    }

    private static void serve(Proxy proxy, AsyncContext async, ProxyExchange exchange) {
        try {
            proxy.serve(exchange);
        } catch (IOException gone) {
            LOG.debug("a caller has gone", gone);
        } catch (RuntimeException unforeseen) {
            LOG.error("a call could not be answered", unforeseen);
        } finally {
            async.complete();
        }
    }
}
