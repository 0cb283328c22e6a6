package dev.polar.cli;

import java.util.regex.Pattern;

/** What a test needs and a machine may lack. */
public final class Needed {
    private static final Pattern NODE = Pattern.compile("v(\\d+)\\.");
    private static final int LEAST_NODE = 20;

    private Needed() {}

    /** Skips the test without the program; fails where POLAR_REQUIRE names it. */
    static void program(String name) {
        thing(name, Programs.find(name).isPresent(), "it is not on the PATH");
    }

    /** Skips the test where agents from npm can neither be installed nor run; fails where POLAR_REQUIRE names node. */
    static void agents() throws InterruptedException {
        var node = Programs.find("node");
        var version = node.isEmpty() ? "" : Programs.version(node.get());
        var major = NODE.matcher(version);
        boolean recent = major.lookingAt() && Integer.parseInt(major.group(1)) >= LEAST_NODE;
        thing(
                "node",
                recent && Programs.find("npm").isPresent(),
                "it is needed from version " + LEAST_NODE + " on, with npm (found: "
                        + (version.isEmpty() ? "none" : version) + ", npm: "
                        + Programs.find("npm").map(Object::toString).orElse("none") + ")");
    }

    /**
     * Skips the test without the thing; fails where POLAR_REQUIRE names it.
     *
     * @param otherwise what is the matter where it is not there
     */
    public static void thing(String name, boolean found, String otherwise) {
        dev.polar.plugin.testing.Needed.program(name, found, otherwise);
    }
}
