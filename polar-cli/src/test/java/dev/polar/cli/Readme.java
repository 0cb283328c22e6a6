package dev.polar.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** The code in the README, so that it is tried and not only read. */
final class Readme {
    private Readme() {}

    /** The one block of that language. */
    static String block(String language) throws IOException {
        var readme = Files.readString(Path.of(System.getProperty("polar.root"), "README.md"));
        var blocks = Pattern.compile("(?ms)^```" + language + "\\n(.*?)^```$")
                .matcher(readme)
                .results()
                .map(found -> found.group(1))
                .toList();
        if (blocks.size() != 1) {
            throw new AssertionError("the README has " + blocks.size() + " blocks of " + language);
        }
        return blocks.getFirst();
    }
}
