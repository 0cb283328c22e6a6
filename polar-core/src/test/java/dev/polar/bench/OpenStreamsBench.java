package dev.polar.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * What 1,000 open streams cost the gateway while all of them wait on the model, each in a session of its own, Chat and Messages in turn; with {@code inference.streaming: buffered}, where the
 * inference server has not answered at all, and {@code native}, where it has sent a first chunk. Then it answers, and each caller has to get the whole of it. Starts {@code polar serve} itself; takes
 * the path of the {@code polar} script as its argument, the KB of a request's text as a second one, and one of the two modes as a third where only that is wanted.
 */
public final class OpenStreamsBench {
    private static final int STREAMS = 1_000;
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final Duration HELD = Duration.ofSeconds(10);

    private OpenStreamsBench() {}

    public static void main(String[] arguments) throws Exception {
        int kilobytes = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 64;
        var question = "lorem ipsum dolor sit am ".repeat(kilobytes * 40);
        System.out.println(
                "| streaming | open streams | heap, MiB | resident, MiB | platform threads | of the container's pool | of these in Polar's code | virtual threads | CPU, cores |");
        System.out.println("|---|---|---|---|---|---|---|---|---|");
        if (arguments.length < 3 || arguments[2].equals("buffered")) {
            buffered(arguments, question);
        }
        if (arguments.length < 3 || arguments[2].equals("native")) {
            relayed(arguments, question);
        }
    }

    private static void buffered(String[] arguments, String question) throws Exception {
        var hold = new Hold();
        try (var upstream = new FixedUpstream(hold);
                var server = PolarServe.start(arguments, upstream.port(), "buffered")) {
            run("buffered", server, hold, question, FixedUpstream.text());
        }
    }

    private static void relayed(String[] arguments, String question) throws Exception {
        var hold = new Hold();
        try (var upstream = new StreamingUpstream(Duration.ZERO, hold);
                var server = PolarServe.start(arguments, upstream.port(), "native")) {
            run("native", server, hold, question, StreamingUpstream.text());
        }
    }

    private static void run(String streaming, PolarServe server, Hold hold, String question, String expected)
            throws Exception {
        var keys = new ArrayList<String>(STREAMS);
        for (int i = 0; i < STREAMS; i++) {
            keys.add(server.session());
        }
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            // once through, so that what a first call loads is there before
            for (var api : HeldCaller.Api.values()) {
                callers.submit(new HeldCaller(
                                api, server.port(), server.session(), question, new AtomicInteger(), expected))
                        .get();
            }
            print(streaming, 0, server);
            hold.shut();
            try {
                var opened = new AtomicInteger();
                var calls = new ArrayList<Future<Void>>(STREAMS);
                for (int i = 0; i < STREAMS; i++) {
                    var api = HeldCaller.Api.values()[i % HeldCaller.Api.values().length];
                    calls.add(callers.submit(
                            new HeldCaller(api, server.port(), keys.get(i), question, opened, expected)));
                }
                await(calls, () -> hold.waiting() == STREAMS && opened.get() == STREAMS);
                print(streaming, hold.waiting(), server);
                hold.open();
                for (var call : calls) {
                    call.get();
                }
            } finally {
                hold.open();
            }
            System.out.printf("%s: %d callers got the whole of their answers%n", streaming, STREAMS);
        }
        print(streaming, 0, server);
    }

    private static void await(List<Future<Void>> calls, BooleanSupplier reached) throws Exception {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!reached.getAsBoolean()) {
            for (var call : calls) {
                if (call.isDone()) {
                    call.get();
                    throw new IllegalStateException("a call was answered before its time");
                }
            }
            if (System.nanoTime() > end) {
                throw new TimeoutException("not all streams were open after " + LIMIT.toSeconds() + " s");
            }
            Thread.sleep(100);
        }
    }

    private static void print(String streaming, int open, PolarServe server) throws Exception {
        var before = server.cpu();
        Thread.sleep(HELD);
        double cores = (double) server.cpu().minus(before).toNanos() / HELD.toNanos();
        var figures = ServerFigures.of(server.pid());
        System.out.printf(
                "| %s | %d | %d | %d | %d | %d | %d | %d | %.2f |%n",
                streaming,
                open,
                figures.heapMiB(),
                figures.rssMiB(),
                figures.platform(),
                figures.pool(),
                figures.busy(),
                figures.virtual(),
                cores);
    }
}
