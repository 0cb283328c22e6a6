package dev.polar.cli;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;

/** What a test needs and a machine may lack. */
public final class Needed {
    private Needed() {}

    /** Skips the test without the program; fails where POLAR_REQUIRE names it. */
    static void program(String name) {
        thing(name, Programs.find(name).isPresent(), "is not on the PATH");
    }

    /**
     * Skips the test without the thing; fails where POLAR_REQUIRE names it.
     *
     * @param otherwise what is the matter where it is not there
     */
    public static void thing(String name, boolean found, String otherwise) {
        var required = List.of(System.getenv().getOrDefault("POLAR_REQUIRE", "").split(","));
        if (!found && required.contains(name)) {
            throw new AssertionError(name + " " + otherwise + ", and POLAR_REQUIRE names it");
        }
        assumeTrue(found, () -> "skipped: " + name + " " + otherwise);
    }
}
