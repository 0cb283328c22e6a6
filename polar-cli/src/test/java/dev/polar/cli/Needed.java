package dev.polar.cli;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;

/** Programs that a test needs and a machine may lack. */
final class Needed {
    private Needed() {}

    /** Skips the test without it; fails where POLAR_REQUIRE names it. */
    static void program(String name) {
        var required = List.of(System.getenv().getOrDefault("POLAR_REQUIRE", "").split(","));
        var found = Programs.find(name).isPresent();
        if (!found && required.contains(name)) {
            throw new AssertionError(name + " is not on the PATH, and POLAR_REQUIRE names it");
        }
        assumeTrue(found, () -> "skipped: " + name + " is not on the PATH");
    }
}
