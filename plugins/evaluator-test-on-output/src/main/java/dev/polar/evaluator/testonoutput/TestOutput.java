package dev.polar.evaluator.testonoutput;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Reads test results from what a test command printed. */
final class TestOutput {
    /** The words that a line with a result begins with. */
    static final List<String> RESULTS = List.of("PASSED", "FAILED", "ERROR", "SKIPPED");

    private static final Pattern LINE = Pattern.compile("(" + String.join("|", RESULTS) + ")\\s+(\\S.*)");
    /** Control sequences of a terminal (ECMA-48): colours, cursor movements, titles. */
    private static final Pattern ANSI =
            Pattern.compile("\u001B(?:\\[[0-?]*[ -/]*[@-~]|\\][^\u0007\u001B]*(?:\u0007|\u001B\\\\)|[@-Z\\\\-_])");

    private TestOutput() {}

    /** The last result of each test that is named. */
    static Map<String, String> parse(String... streams) {
        var results = new TreeMap<String, String>();
        for (var stream : streams) {
            ANSI.matcher(stream).replaceAll("").lines().forEach(line -> {
                var match = LINE.matcher(line);
                if (match.matches()) {
                    results.put(name(match.group(2)), match.group(1));
                }
            });
        }
        return results;
    }

    /** A test's name as results and expectations are compared by: without the reason after {@code " - "}, and without the file before the first {@code ::}. */
    static String name(String text) {
        var plain = ANSI.matcher(text).replaceAll("");
        int reason = plain.indexOf(" - ");
        var parts = (reason < 0 ? plain : plain.substring(0, reason)).strip().split("::", -1);
        return parts.length == 1 ? parts[0] : String.join(".", List.of(parts).subList(1, parts.length));
    }
}
