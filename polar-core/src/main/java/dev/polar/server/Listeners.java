package dev.polar.server;

import dev.polar.spi.InvalidValueException;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The addresses that this process listens at. Immutable. */
public final class Listeners {
    /** Who is served at an address. */
    public enum Kind {
        ROLLOUT,
        GATEWAY,
        /** The proxy rows alone. */
        AGENT
    }

    /** An address. */
    public record Address(String host, int port) {}

    private final Map<Kind, Address> addresses = new EnumMap<>(Kind.class);

    public Listeners(Map<Kind, Address> addresses) {
        this.addresses.putAll(addresses);
    }

    /**
     * Reads {@code polar.listen.<kind>.enabled}, {@code .host} and {@code .port}, the names that the server's own configuration uses for its endpoints.
     *
     * @throws InvalidValueException where an enabled one has no port
     */
    static Listeners from(Function<String, Optional<String>> config) {
        var found = new EnumMap<Kind, Address>(Kind.class);
        for (var kind : Kind.values()) {
            var prefix = "polar.listen." + kind.name().toLowerCase(Locale.ROOT);
            if (config.apply(prefix + ".enabled").filter(Boolean::parseBoolean).isPresent()) {
                var port = config.apply(prefix + ".port")
                        .orElseThrow(() -> new InvalidValueException(
                                prefix + ".port", "is not set, but the listener is enabled: set it to the port"));
                found.put(
                        kind,
                        new Address(
                                config.apply(prefix + ".host").orElse("127.0.0.1"),
                                portNumber(prefix + ".port", port)));
            }
        }
        return new Listeners(found);
    }

    /** Where one is, if this process has it. */
    public Optional<Address> address(Kind kind) {
        return Optional.ofNullable(addresses.get(kind));
    }

    /** Whose address has this port, if any. */
    public Optional<Kind> at(int port) {
        return addresses.entrySet().stream()
                .filter(entry -> entry.getValue().port() == port)
                .map(Map.Entry::getKey)
                .findFirst();
    }

    private static int portNumber(String key, String text) {
        try {
            int port = Integer.parseInt(text.strip());
            if (port > 0 && port <= 65535) {
                return port;
            }
        } catch (NumberFormatException notANumber) {
            // refused below, with the value
        }
        throw new InvalidValueException(key, "'" + text + "' is no port: set it to a number in 1..65535");
    }
}
