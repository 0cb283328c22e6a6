package dev.polar.cli;

import dev.polar.sim.IdInput;
import dev.polar.sim.Scenario;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimOptions;
import dev.polar.sim.SimServer;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code polar sim}. */
@Command(
        name = "sim",
        description = "Run a simulated inference server, to dry-run agents without a model.",
        mixinStandardHelpOptions = true)
final class SimCommand implements Callable<Integer> {
    @Mixin
    private Output output;

    @Option(names = "--host", defaultValue = "127.0.0.1", description = "Address (default: ${DEFAULT-VALUE}).")
    private String host;

    @Option(names = "--port", defaultValue = "8000", description = "0 takes a free one (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(
            names = "--engine",
            defaultValue = "vllm",
            description = "Whose dialect: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private SimEngine engine;

    @Option(names = "--model", defaultValue = "sim", description = "The one model served (default: ${DEFAULT-VALUE}).")
    private String model;

    @Option(names = "--scenario", paramLabel = "FILE", description = "What it answers (default: short plain text).")
    private Path scenario;

    @Option(names = "--seed", paramLabel = "N", description = "Of all draws (default: the scenario's).")
    private Long seed;

    @Option(
            names = "--non-canonical",
            paramLabel = "P",
            defaultValue = "0",
            description = "Probability that a token which can be cut is sampled in two (default: ${DEFAULT-VALUE}).")
    private double nonCanonical;

    @Option(
            names = "--ms-per-token",
            paramLabel = "MS",
            defaultValue = "0",
            description = "Time per sampled token (default: ${DEFAULT-VALUE}).")
    private double msPerToken;

    @Option(
            names = "--ms-per-prompt-token",
            paramLabel = "MS",
            defaultValue = "0",
            description = "Time per prompt token (default: ${DEFAULT-VALUE}).")
    private double msPerPromptToken;

    @Option(
            names = "--ids",
            defaultValue = "taken",
            description =
                    "A prompt given as ids instead of messages is: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private IdInput idInput;

    @Override
    public Integer call() throws InterruptedException {
        Ports.claim("--port", host, port);
        try (var sim = start(options(scenario, seed)
                .host(host)
                .port(port)
                .engine(engine)
                .model(model)
                .nonCanonical(nonCanonical)
                .idInput(idInput)
                .perToken(millis(msPerToken))
                .perPromptToken(millis(msPerPromptToken)))) {
            output.answer(Map.of("ready", true, "url", sim.url()));
            output.line("ready: " + sim.url() + " serves model " + model + " as "
                    + engine.name().toLowerCase(java.util.Locale.ROOT) + " does (Ctrl-C ends it)");
            Runtime.getRuntime().addShutdownHook(new Thread(sim::close, "stop-sim"));
            new CountDownLatch(1).await(); // a signal ends it
        }
        return 0;
    }

    private static Duration millis(double millis) {
        return Duration.ofNanos((long) (millis * 1e6));
    }

    /**
     * Options of a scenario.
     *
     * @param scenario null for plain text
     * @param seed null for the scenario's
     * @throws UserException where it cannot be read
     */
    static SimOptions.Builder options(Path scenario, Long seed) {
        var options = SimOptions.builder();
        if (scenario != null) {
            try {
                options.scenario(Scenario.read(scenario));
            } catch (NoSuchFileException missing) {
                throw new UserException(scenario + ": there is no such scenario file", missing);
            } catch (IOException | IllegalArgumentException refused) {
                throw new UserException(refused.getMessage(), refused);
            }
        }
        return seed == null ? options : options.seed(seed);
    }

    /** @throws UserException where an option is out of its range or the port is taken */
    static SimServer start(SimOptions.Builder options) {
        try {
            return SimServer.start(options.build());
        } catch (IllegalArgumentException | IOException refused) {
            throw new UserException("the simulator cannot start: " + refused.getMessage(), refused);
        }
    }
}
