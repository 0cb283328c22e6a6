package dev.polar.gateway;

import dev.polar.gateway.SessionClock.Span;
import dev.polar.spi.PrepareAction;
import dev.polar.spi.RuntimeProvider;
import dev.polar.spi.RuntimeRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;

/** One of a session's runtimes, from its start to its end. It can be ended at any time, also while it starts. */
final class Sandbox {
    private static final Duration STOP_LIMIT = Duration.ofSeconds(60);
    private static final Duration END_LIMIT = Duration.ofSeconds(30);

    private final RuntimeProvider provider;
    private final RuntimeRequest request;
    private final Preparation preparation;
    private volatile SessionRuntime runtime;

    Sandbox(RuntimeProvider provider, RuntimeRequest request, Preparation preparation) {
        this.provider = provider;
        this.request = request;
        this.preparation = preparation;
    }

    /** Starts it. The runtime is kept before anything else can happen, so that {@link #stop} finds it. */
    void start(SessionClock clock) throws InterruptedException {
        try (var running = clock.start(Span.CONTAINER_START)) {
            SessionFolder.createRuntimeFolder(request.sessionDir());
            Files.createDirectories(preparation.logs());
            Files.createDirectories(request.stateDir());
            runtime = new SessionRuntime(provider.start(request), request.spec().allowInternet());
        } catch (IOException problem) {
            throw new UncheckedIOException(
                    "the session's folder " + request.sessionDir() + " cannot be made: " + Messages.of(problem),
                    problem);
        }
    }

    void prepare(List<PrepareAction> actions, SessionClock clock) throws InterruptedException {
        try (var running = clock.start(Span.PREPARE)) {
            preparation.run(runtime, actions);
        }
    }

    /** Started, or null. */
    SessionRuntime runtime() {
        return runtime;
    }

    /** Ends the processes in it, where it was started. */
    void endProcesses() {
        if (runtime != null) {
            CleanUp.run("ending the processes of " + what(), END_LIMIT, runtime::endProcesses);
        }
    }

    /** Ends and removes it, where it was started. */
    void stop(SessionClock clock) {
        if (runtime != null) {
            try (var running = clock.start(Span.RUNTIME_STOP)) {
                CleanUp.run("stopping " + what(), STOP_LIMIT, runtime::stop);
            }
        }
    }

    private String what() {
        return "the " + request.purpose() + " runtime of session "
                + request.session().sessionId();
    }
}
