package dev.polar.security;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import org.eclipse.microprofile.config.Config;

/** The control plane's token, where one is set. Thread-safe. */
@ApplicationScoped
public class ControlToken {
    /** The request header that carries it. */
    public static final String HEADER = "X-Polar-Control-Token";

    private final byte[] expected;

    /** For the container's proxy. */
    protected ControlToken() {
        this(Optional.empty());
    }

    @Inject
    public ControlToken(Config config) {
        this(config.getOptionalValue("polar.control.plane.token", String.class));
    }

    /** @param token empty or blank where the control plane is open */
    public ControlToken(Optional<String> token) {
        expected = token.map(String::strip)
                .filter(text -> !text.isEmpty())
                .map(text -> text.getBytes(StandardCharsets.UTF_8))
                .orElse(null);
    }

    public boolean isSet() {
        return expected != null;
    }

    /** True where none is set or {@code given} is it; takes as long for any wrong one of a length. */
    public boolean accepts(String given) {
        return expected == null
                || (given != null && MessageDigest.isEqual(expected, given.getBytes(StandardCharsets.UTF_8)));
    }

    /** To be sent to our own processes, where one is set. */
    public Optional<String> value() {
        return Optional.ofNullable(expected).map(bytes -> new String(bytes, StandardCharsets.UTF_8));
    }
}
