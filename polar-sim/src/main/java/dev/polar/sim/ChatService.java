package dev.polar.sim;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Chat completions: from the request to the last byte, the same way for both dialects. Thread-safe. */
final class ChatService {
    private final SimOptions options;
    private final Dialect dialect;
    private final Planner planner;
    private final Scheduler scheduler;
    private final Metrics metrics;
    private final Faults faults;
    private final Doorway doorway;
    private final Consumer<Generated> ended;

    /** @param ended told of each generation that ran to its end, before its caller has the whole answer */
    ChatService(
            SimOptions options,
            Dialect dialect,
            Scheduler scheduler,
            Metrics metrics,
            Faults faults,
            Doorway doorway,
            Consumer<Generated> ended) {
        this.options = options;
        this.dialect = dialect;
        this.planner = new Planner(options);
        this.scheduler = scheduler;
        this.metrics = metrics;
        this.faults = faults;
        this.doorway = doorway;
        this.ended = ended;
    }

    void chat(Call call) throws IOException, InterruptedException {
        ChatRequest request = dialect.read(call);
        int[] prompt = dialect.promptIds(request);
        String id = dialect.requestId(call, request);
        Generation generation = planner.plan(id, request, prompt, faults.next());
        Scheduler.Run run = scheduler.register(id);
        try (run;
                var watch = doorway.onGone(call.remotePort(), () -> run.stop(Scheduler.Stop.DISCONNECTED))) {
            if (generation.fault().kind() == Fault.Kind.STATUS) {
                refuse(call, generation.fault());
                return;
            }
            if (!scheduler.enter(run)) {
                throw gone(generation);
            }
            metrics.promptTokens(prompt.length);
            if (request.stream()) {
                stream(call, generation, run);
            } else {
                whole(call, generation, run);
            }
        }
    }

    private void refuse(Call call, Fault fault) throws IOException {
        String message = fault.message().isEmpty() ? "simulated error " + fault.status() : fault.message();
        if (fault.retryAfterSeconds() >= 0) {
            call.setHeader("retry-after", Integer.toString(fault.retryAfterSeconds()));
        }
        switch (fault.shape()) {
            case ENGINE ->
                call.reply(
                        fault.status(),
                        dialect.error(new ApiError(fault.status(), typeOf(fault.status()), null, message)));
            case DETAIL -> call.reply(fault.status(), Json.object().put("detail", message));
            case TEXT ->
                call.reply(fault.status(), "text/plain; charset=utf-8", message.getBytes(StandardCharsets.UTF_8));
            case HTML -> {
                String page = "<html><head><title>" + fault.status() + "</title></head><body><h1>" + message
                        + "</h1></body></html>";
                call.reply(fault.status(), "text/html", page.getBytes(StandardCharsets.UTF_8));
            }
            case EMPTY -> call.reply(fault.status());
        }
    }

    private static String typeOf(int status) {
        return status < 500 ? "BadRequestError" : "InternalServerError";
    }

    private void whole(Call call, Generation generation, Scheduler.Run run) throws IOException, InterruptedException {
        generate(generation, run, (index, step) -> {});
        ObjectNode answer = new Spoiler(generation.fault().kind()).apply(dialect.whole(generation));
        if (generation.fault().kind() == Fault.Kind.CUT) {
            call.replyHalf(Json.write(answer));
            throw new IOException("cut on demand");
        }
        run.close(); // it has left the engine, however slowly the answer is read
        call.reply(200, answer);
    }

    /** The stream is closed only where it ends as it should: a failure breaks the connection instead. */
    private void stream(Call call, Generation generation, Scheduler.Run run) throws IOException, InterruptedException {
        if (generation.fault().kind() == Fault.Kind.SILENCE
                && generation.fault().afterTokens() == 0) {
            silence(generation, run);
        }
        EventStream out = call.stream(new Spoiler(generation.fault().kind()));
        try {
            Dialect.Chunks chunks = dialect.chunks(generation, call);
            chunks.begin(out);
            generate(generation, run, (index, step) -> chunks.step(out, index, step));
            chunks.end(out);
        } catch (ApiError e) {
            out.send(dialect.streamError(e));
        }
        run.close();
        out.done();
        out.close();
    }

    /** Takes a token or its end to where it is shown. */
    @FunctionalInterface
    private interface Listener {
        void step(int index, Step step) throws IOException;
    }

    /** Samples all choices side by side, one token each per round. */
    private void generate(Generation generation, Scheduler.Run run, Listener listener)
            throws IOException, InterruptedException {
        Duration latency = options.perPromptToken()
                .multipliedBy(generation.promptIds().length)
                .plus(options.perToken());
        List<SampledLine> lines = generation.lines();
        for (int round = 0; lines.stream().anyMatch(line -> line.finish() == null); round++) {
            if (run.await(latency) == Scheduler.Stop.DISCONNECTED) {
                throw gone(generation);
            }
            if (generation.fault().kind() != Fault.Kind.NONE
                    && generation.fault().afterTokens() == round) {
                strike(generation, run);
            }
            Scheduler.Stop stop = run.await(Duration.ZERO);
            for (int index = 0; index < lines.size(); index++) {
                SampledLine line = lines.get(index);
                if (line.finish() == null) {
                    listener.step(index, line.step(stop, scheduler.weightVersion()));
                }
            }
            latency = options.perToken();
        }
        metrics.finished(lines);
        ended.accept(new Generated(
                generation.request().body(),
                generation.promptIds(),
                lines.stream().map(SampledLine::ids).toList()));
    }

    /** What a fault does in the middle of an answer. */
    private void strike(Generation generation, Scheduler.Run run) throws IOException, InterruptedException {
        switch (generation.fault().kind()) {
            case SILENCE -> silence(generation, run);
            case PAUSE -> run.await(Duration.ofSeconds(generation.fault().seconds()));
            case ABORT -> run.stop(Scheduler.Stop.AT_ONCE);
            case ERROR_CHUNK -> throw dialect.engineDied();
            case CUT -> {
                if (generation.request().stream()) {
                    throw new IOException("cut on demand");
                }
            }
            default -> {} // the others change what is said, not whether
        }
    }

    private static void silence(Generation generation, Scheduler.Run run) throws IOException, InterruptedException {
        run.awaitStop();
        throw gone(generation);
    }

    private static IOException gone(Generation generation) {
        return new IOException("the caller of " + generation.id() + " has gone");
    }
}
