package dev.polar.gateway;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Words of a session's environment that nobody else may read: the values of variables whose names say so.
 *
 * @param words longest first, so that none hides a part of another
 */
record Secrets(List<String> words) {
    private static final String REMOVED = "[secret]";
    /** What is shorter would be found in words that are none. */
    private static final int SHORTEST = 8;

    private static final Pattern NAMES = Pattern.compile(
            "KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|COOKIE|AUTH(?!OR(_|$))", Pattern.CASE_INSENSITIVE);

    /** Of a process that has this environment. A value of several lines is taken line by line: a program may print some of them. */
    static Secrets of(Map<String, String> environment) {
        return new Secrets(environment.entrySet().stream()
                .filter(variable -> NAMES.matcher(variable.getKey()).find())
                .flatMap(variable -> variable.getValue().lines())
                .map(String::strip)
                .filter(line -> line.length() >= SHORTEST)
                .distinct()
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList());
    }

    /** The text with a word in place of each secret. */
    String removedFrom(String text) {
        var left = text;
        for (var word : words) {
            left = left.replace(word, REMOVED);
        }
        return left;
    }
}
