package dev.polar.plugin.testing;

import static org.junit.jupiter.api.Assertions.fail;

import java.util.Arrays;
import org.junit.jupiter.api.Assumptions;

/** Programs that a test needs and a machine may lack. */
public final class Needed {
    private Needed() {}

    /** Skips the test where {@code available} is false, unless POLAR_REQUIRE names the program. */
    public static void program(String program, boolean available, String reason) {
        if (available) {
            return;
        }
        var required = System.getenv().getOrDefault("POLAR_REQUIRE", "");
        if (Arrays.asList(required.split(",")).contains(program)) {
            fail(program + " is required by POLAR_REQUIRE and cannot be used: " + reason);
        }
        Assumptions.abort("skipped: " + program + " cannot be used: " + reason);
    }
}
