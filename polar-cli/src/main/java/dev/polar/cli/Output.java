package dev.polar.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.polar.wire.Json;
import java.io.PrintStream;
import picocli.CommandLine.Option;

/** Where a command speaks: answers to standard output, progress and warnings to standard error. As a picocli mix-in it also holds the options that decide how. Thread-safe. */
final class Output {
    @Option(names = "--json", description = "Standard output holds JSON lines and nothing else.")
    private boolean json;

    @Option(names = "--verbose", description = "Say more, with stack traces.")
    private boolean verbose;

    private final PrintStream answers = System.out;
    private final PrintStream remarks = System.err;

    boolean json() {
        return json;
    }

    boolean verbose() {
        return verbose;
    }

    /** One JSON line; only with {@code --json}. */
    void answer(Object value) {
        if (json) {
            try {
                say(answers, Json.MAPPER.writeValueAsString(value));
            } catch (JsonProcessingException impossible) {
                throw new IllegalStateException("an answer is no JSON", impossible);
            }
        }
    }

    /** A line of the answer for people; not with {@code --json}. */
    void line(String text) {
        if (!json) {
            say(answers, text);
        }
    }

    void progress(String text) {
        say(remarks, dim(text));
    }

    /** A line on standard error that the next one takes the place of; only on a terminal. An empty one clears it. */
    void ticker(String text) {
        if (onTerminal()) {
            remarks.print("\r\u001b[K" + dim(text));
            remarks.flush();
        }
    }

    void warn(String text) {
        say(remarks, colour("33", "warning: ") + text);
    }

    /** The text, green where standard error or output goes to a terminal. */
    String good(String text) {
        return colour("32", text);
    }

    String bad(String text) {
        return colour("31", text);
    }

    String dim(String text) {
        return colour("2", text);
    }

    private static String colour(String code, String text) {
        return onTerminal() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
    }

    static boolean onTerminal() {
        var console = System.console();
        return console != null
                && console.isTerminal()
                && System.getenv("NO_COLOR") == null
                && !"dumb".equals(System.getenv("TERM"));
    }

    private static void say(PrintStream to, String text) {
        to.println(text);
        to.flush();
    }
}
