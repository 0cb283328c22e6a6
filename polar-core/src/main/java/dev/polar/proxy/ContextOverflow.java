package dev.polar.proxy;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * How far a prompt is over the window.
 *
 * @param prompt tokens of the prompt
 * @param window tokens that fit
 */
record ContextOverflow(long prompt, long window) {
    private static final Pattern NUMBER = Pattern.compile("\\d+");
    private static final int LONGEST = 18;

    /** Out of an engine's message: it names both numbers, and the larger is the prompt's. Empty where it names fewer. */
    static Optional<ContextOverflow> of(String message) {
        long largest = 0;
        long smaller = 0;
        var numbers = NUMBER.matcher(message);
        while (numbers.find()) {
            if (numbers.group().length() > LONGEST) {
                continue;
            }
            long number = Long.parseLong(numbers.group());
            if (number > largest) {
                smaller = largest;
                largest = number;
            } else if (number < largest && number > smaller) {
                smaller = number;
            }
        }
        return smaller == 0 ? Optional.empty() : Optional.of(new ContextOverflow(largest, smaller));
    }
}
