package dev.polar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.polar.sim.SimOptions;
import dev.polar.sim.SimServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class EnginesTest {
    @Test
    void a_server_that_runs_answers_and_one_that_has_ended_does_not() throws Exception {
        String url;
        try (var sim = SimServer.start(SimOptions.defaults())) {
            url = sim.url();
            assertThat(Engines.answers(url)).isTrue();
        }
        assertThat(Engines.answers(url)).isFalse();
    }

    @Test
    void one_that_wants_a_key_is_there_and_is_told_no_secret() throws Exception {
        var headers = new CopyOnWriteArrayList<String>();
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            headers.addAll(exchange.getRequestHeaders().keySet());
            exchange.sendResponseHeaders(401, -1);
            exchange.close();
        });
        server.start();
        try {
            assertThat(Engines.answers("http://127.0.0.1:" + server.getAddress().getPort()))
                    .isTrue();
            assertThat(headers).isNotEmpty().noneMatch(name -> name.equalsIgnoreCase("X-Polar-Control-Token"));
        } finally {
            server.stop(0);
        }
    }
}
