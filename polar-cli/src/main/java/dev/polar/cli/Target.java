package dev.polar.cli;

import dev.polar.spi.Check;
import dev.polar.spi.InvalidValueException;
import dev.polar.topology.Topology;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** Which rollout server a client command talks to; a picocli mix-in. */
final class Target {
    private static final String DEFAULT = "http://127.0.0.1:8080";

    @ArgGroup
    private Choice choice;

    private static final class Choice {
        @Option(
                names = {"-c", "--config"},
                paramLabel = "FILE",
                description = "The topology that names the rollout server.")
        private Path topology;

        @Option(
                names = "--rollout-url",
                paramLabel = "URL",
                description = "The rollout server (default: " + DEFAULT + ").")
        private String url;
    }

    /** @throws UserException where the URL is none */
    RolloutClient client(Output output) {
        return new RolloutClient(url(output));
    }

    /** The topology, where one was named. */
    Optional<Topology> topology(Output output) {
        return choice == null || choice.topology == null
                ? Optional.empty()
                : Optional.of(new Configuration().load(choice.topology, output::warn));
    }

    private String url(Output output) {
        if (choice == null) {
            return DEFAULT;
        }
        if (choice.url == null) {
            var rollout =
                    new Configuration().load(choice.topology, output::warn).rollout();
            if (rollout.publicUrl().endsWith(":0")) {
                throw new UserException(choice.topology
                        + ": rollout.port: is 0, so it does not say where the server is: name it with --rollout-url");
            }
            return rollout.publicUrl();
        }
        try {
            return Check.httpUrl("--rollout-url", choice.url).replaceAll("/+$", "");
        } catch (InvalidValueException refused) {
            throw new UserException(refused.getMessage(), refused);
        }
    }
}
