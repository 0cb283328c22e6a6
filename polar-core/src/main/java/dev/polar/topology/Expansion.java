package dev.polar.topology;

import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Replaces {@code ${NAME}} and {@code ${NAME:default}} by what the environment says; {@code $${NAME}} stands for the text {@code ${NAME}} itself. */
final class Expansion {
    private static final Pattern VARIABLE = Pattern.compile("(\\$?)\\$\\{([A-Za-z_][A-Za-z0-9_]*)(?::([^}]*))?}");

    private Expansion() {}

    /** @throws IllegalArgumentException that names a variable which is not set and has no default */
    static String expand(String text, Function<String, Optional<String>> environment) {
        return VARIABLE.matcher(text)
                .replaceAll(match -> Matcher.quoteReplacement(
                        match.group(1).isEmpty()
                                ? value(match.group(2), match.group(3), environment)
                                : match.group().substring(1)));
    }

    private static String value(String name, String byDefault, Function<String, Optional<String>> environment) {
        var value = environment.apply(name);
        if (value.isEmpty() && byDefault == null) {
            throw new IllegalArgumentException("the environment variable " + name + " is not set; set it, or write ${"
                    + name + ":default} (or $${" + name + "} for the text itself)");
        }
        return value.orElse(byDefault);
    }
}
