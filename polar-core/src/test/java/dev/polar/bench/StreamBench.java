package dev.polar.bench;

import java.time.Duration;
import java.util.List;

/**
 * What relaying costs the gateway, {@code inference.streaming: native}, with capture to disk: 200 deltas an answer, 500 prompt ids. Flat out, against an upstream that writes fixed bytes; and
 * paced, for how late a delta is. Starts {@code polar serve} itself; takes the path of the {@code polar} script as its argument, and the calls of a run as a second one.
 */
public final class StreamBench {
    private static final int CALLERS = 64;
    private static final Duration PACE = Duration.ofMillis(50);

    private StreamBench() {}

    public static void main(String[] arguments) throws Exception {
        int calls = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 6_400;
        flatOut(arguments, calls);
        paced(arguments);
    }

    private static void flatOut(String[] arguments, int calls) throws Exception {
        try (var upstream = new StreamingUpstream(Duration.ZERO);
                var server = PolarServe.start(arguments, upstream.port(), "native")) {
            for (var api : StreamLoad.Api.values()) {
                StreamLoad.run(server.port(), server.session(), api, CALLERS, calls / 2);
            }
            System.out.println("| flat out | round | events | rate, 1/s | gateway CPU per event, ms |");
            System.out.println("|---|---|---|---|---|");
            for (int round = 1; round <= 3; round++) {
                var straight = StreamLoad.run(upstream.port(), "none", StreamLoad.Api.CHAT, CALLERS, calls);
                print("straight", round, straight, Double.NaN);
                for (var api : StreamLoad.Api.values()) {
                    // a session of its own, so that none grows without end
                    var key = server.session();
                    var before = server.cpu();
                    var through = StreamLoad.run(server.port(), key, api, CALLERS, calls);
                    double cpu = server.cpu().minus(before).toNanos() / 1e6 / through.events();
                    print(api.name().toLowerCase(java.util.Locale.ROOT), round, through, cpu);
                }
            }
        }
    }

    private static void print(String what, int round, StreamLoad.Result result, double cpuMillis) {
        System.out.printf(
                "| %s | %d | %d | %.0f | %s |%n",
                what,
                round,
                result.events(),
                result.perSecond(),
                Double.isNaN(cpuMillis) ? "" : "%.4f".formatted(cpuMillis));
    }

    private static void paced(String[] arguments) throws Exception {
        try (var upstream = new StreamingUpstream(PACE);
                var server = PolarServe.start(arguments, upstream.port(), "native")) {
            for (int i = 0; i < 2; i++) {
                StreamLoad.run(server.port(), server.session(), StreamLoad.Api.MESSAGES, CALLERS, CALLERS);
            }
            System.out.println("| paced | round | events | median, ms | 99 %, ms |");
            System.out.println("|---|---|---|---|---|");
            for (int round = 1; round <= 3; round++) {
                late("straight", round, upstream.port(), "none", StreamLoad.Api.CHAT);
                for (var api : List.of(StreamLoad.Api.MESSAGES, StreamLoad.Api.RESPONSES)) {
                    var name = api.name().toLowerCase(java.util.Locale.ROOT);
                    late(name, round, server.port(), server.session(), api);
                }
            }
        }
    }

    private static void late(String what, int round, int port, String key, StreamLoad.Api api)
            throws InterruptedException {
        var result = StreamLoad.run(port, key, api, CALLERS, CALLERS);
        System.out.printf(
                "| %s | %d | %d | %.2f | %.2f |%n",
                what,
                round,
                result.events(),
                result.median().toNanos() / 1e6,
                result.p99().toNanos() / 1e6);
    }
}
