package dev.polar.gateway;

import java.security.SecureRandom;
import java.util.Base64;

/** Keys that open a session's model calls. Thread-safe. */
final class SessionKeys {
    private static final int BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    private SessionKeys() {}

    /** A new secret, safe in a URL. */
    static String next() {
        var bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
