package dev.polar.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.polar.spi.SessionResult;
import dev.polar.spi.SessionStatus;
import dev.polar.spi.Timing;
import dev.polar.spi.Trace;
import dev.polar.spi.Trajectory;
import dev.polar.wire.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The spool and its sender against a real HTTP server. */
@Timeout(60)
class ResultSpoolTest {
    private static final Duration SOON = Duration.ofMillis(20);

    @TempDir
    Path temp;

    private final List<String> bodies = Collections.synchronizedList(new ArrayList<>());
    private final List<String> lengths = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger refusals = new AtomicInteger();
    private HttpServer server;
    private NodeFolder folder;
    private ResultSpool spool;
    private RolloutLink link;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/callbacks/session_result", this::answer);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
        folder = NodeFolder.open(temp);
        spool = new ResultSpool(folder);
        link = new RolloutLink("http://127.0.0.1:" + server.getAddress().getPort(), "secret");
    }

    private void answer(HttpExchange exchange) throws IOException {
        var body = new String(exchange.getRequestBody().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        boolean refused = refusals.getAndDecrement() > 0;
        if (!refused) {
            lengths.add(exchange.getRequestHeaders().getFirst("Content-Length") + " "
                    + exchange.getRequestHeaders().getFirst(RolloutLink.TOKEN_HEADER));
            bodies.add(body);
        }
        var answer = (refused ? "{\"detail\": \"busy\"}" : "{\"status\": \"accepted\"}").getBytes();
        exchange.sendResponseHeaders(refused ? 503 : 200, answer.length);
        exchange.getResponseBody().write(answer);
        exchange.close();
    }

    @AfterEach
    void close() {
        link.close();
        server.stop(0);
    }

    @Test
    void a_result_is_kept_until_it_is_acknowledged_and_then_lies_with_its_session() throws Exception {
        refusals.set(3);
        folder.session("s1")
                .create(new SessionManifest("s1", "t", false, 0, 0, 1, null, "per_request", null, Map.of()));
        spool.write(result("s1"));
        try (var sender = new ResultSender(link, spool, SOON, SOON)) {
            sender.send(spool.pending("s1"));
            await().until(() -> Files.exists(folder.session("s1").result()));
        }

        assertThat(bodies).hasSize(1);
        assertThat(Json.MAPPER.readTree(bodies.getFirst()).path("session_id").asText())
                .isEqualTo("s1");
        assertThat(lengths).containsExactly(bodies.getFirst().length() + " secret");
        assertThat(spool.pending()).isEmpty();
        assertThat(ResultHead.read(spool.find("s1").orElseThrow()))
                .isEqualTo(new ResultHead(SessionStatus.ERROR, "it \"failed\"", 3));
    }

    @Test
    void f08_a_result_that_nobody_takes_survives_a_restart_and_is_sent_later() throws Exception {
        refusals.set(Integer.MAX_VALUE);
        spool.write(result("s1"));
        var sender = new ResultSender(link, spool, SOON, SOON);
        sender.send(spool.pending("s1"));
        await().until(() -> refusals.get() < Integer.MAX_VALUE - 2);
        sender.close();
        assertThat(bodies).isEmpty();

        refusals.set(0);
        var next = new ResultSpool(NodeFolder.open(temp));
        try (var later = new ResultSender(link, next, SOON, SOON)) {
            next.pending().forEach(later::send);
            await().until(() -> next.pending().isEmpty());
        }
        assertThat(bodies).hasSize(1);
    }

    @Test
    void f11_what_a_crash_cut_off_while_it_was_written_is_no_result() throws Exception {
        Files.writeString(folder.spool().resolve("s1.json" + DurableFile.PARTIAL), "{\"session_id\": \"s1\", \"tra");

        assertThat(spool.pending()).isEmpty();
        assertThat(spool.find("s1")).isEmpty();
        assertThat(folder.spool()).isEmptyDirectory();
    }

    @Test
    void a_result_that_cannot_be_written_leaves_nothing_behind() throws Exception {
        var broken = new DurableFile.Content() {
            @Override
            public void writeTo(java.io.OutputStream out) throws IOException {
                out.write(1);
                throw new IOException("no space left");
            }
        };
        assertThatThrownBy(() -> DurableFile.write(folder.spool().resolve("s1.json"), broken))
                .hasMessage("no space left");
        assertThat(folder.spool()).isEmptyDirectory();
    }

    @Test
    void ids_that_outsiders_chose_never_leave_the_folder() {
        for (var id : List.of("..", ".", "a b", "%2e%2e", "ü".repeat(200), "x".repeat(200), "*", "con/../x")) {
            var name = SessionFolder.nameOf(id);
            assertThat(name).doesNotContain("/").doesNotStartWith(".").hasSizeLessThanOrEqualTo(120);
            assertThat(folder.session(id).root().normalize().getParent()).isEqualTo(temp.resolve("sessions"));
        }
        assertThat(SessionFolder.nameOf("x".repeat(200))).isNotEqualTo(SessionFolder.nameOf("x".repeat(199)));
    }

    private static SessionResult result(String id) {
        var trace = new Trace(
                new int[] {1, 2},
                new int[] {3},
                new int[] {1},
                null,
                null,
                null,
                "stop",
                new double[] {-0.25},
                1.0,
                null);
        return new SessionResult(
                id,
                "t",
                SessionStatus.ERROR,
                new Trajectory(
                        SessionStatus.ERROR,
                        Map.of("status", "nested", "record_count", 3),
                        List.of(trace),
                        "it \"failed\""),
                Timing.ZERO,
                "n",
                "it \"failed\"",
                Map.of());
    }
}
