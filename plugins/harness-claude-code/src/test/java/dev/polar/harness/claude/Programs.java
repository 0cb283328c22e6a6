package dev.polar.harness.claude;

import static org.junit.jupiter.api.Assertions.fail;

import java.util.Arrays;
import org.junit.jupiter.api.Assumptions;

/** Programs that a test needs and a machine may lack. */
final class Programs {
    private Programs() {}

    /** Skips the test where {@code available} is false, unless POLAR_REQUIRE names the program. */
    static void need(String program, boolean available, String reason) {
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
