package dev.polar.bench;

import java.util.List;

/**
 * What a Chat completion costs the gateway: 2 KB of request and of answer text, 500 prompt ids, 100 answer ids, from an upstream that answers with fixed bytes. Starts {@code polar serve}
 * itself; takes the path of the {@code polar} script as its argument.
 */
public final class ProxyBench {
    private static final int WARM_UP = 60_000;
    private static final int CALLS_ALONE = 5_000;
    private static final int CALLS_TOGETHER = 30_000;
    private static final int CALLERS = 64;

    private ProxyBench() {}

    public static void main(String[] arguments) throws Exception {
        try (var upstream = new FixedUpstream();
                var server = PolarServe.start(arguments, upstream.port(), "buffered")) {
            run(upstream.port(), server);
        }
    }

    private static void run(int upstream, PolarServe server) throws Exception {
        Load.run(server.port(), server.session(), CALLERS, WARM_UP);
        System.out.println("| callers | path | calls | rate, 1/s | median, ms | 99 %, ms | gateway CPU per call, ms |");
        System.out.println("|---|---|---|---|---|---|---|");
        for (int callers : List.of(1, CALLERS)) {
            int calls = callers == 1 ? CALLS_ALONE : CALLS_TOGETHER;
            print(callers, "straight", Load.run(upstream, "none", callers, calls), Double.NaN);
            // a session of its own, so that none grows without end
            var key = server.session();
            var before = server.cpu();
            var result = Load.run(server.port(), key, callers, calls);
            print(callers, "through", result, server.cpu().minus(before).toNanos() / 1e6 / calls);
        }
    }

    private static void print(int callers, String path, Load.Result result, double cpuMillis) {
        System.out.printf(
                "| %d | %s | %d | %.0f | %.2f | %.2f | %s |%n",
                callers,
                path,
                result.calls(),
                result.perSecond(),
                result.median().toNanos() / 1e6,
                result.p99().toNanos() / 1e6,
                Double.isNaN(cpuMillis) ? "" : "%.3f".formatted(cpuMillis));
    }
}
