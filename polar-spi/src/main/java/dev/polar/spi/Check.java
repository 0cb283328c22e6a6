package dev.polar.spi;

import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The checks that the records share; each throws {@link InvalidValueException} with the key's JSON name. Usable by a plugin's own settings records too. */
public final class Check {
    private Check() {}

    /** {@code value}, which must not be null or blank. */
    public static String text(String key, String value) {
        if (value == null || value.isBlank()) {
            throw new InvalidValueException(key, value == null ? "is required" : "must not be empty");
        }
        return value;
    }

    /** {@code value}, which must not be null. */
    public static <T> T present(String key, T value) {
        if (value == null) {
            throw new InvalidValueException(key, "is required");
        }
        return value;
    }

    /** {@code value}, or {@code byDefault} where it is null. */
    public static <T> T orElse(T value, T byDefault) {
        return value == null ? byDefault : value;
    }

    /** {@code value}, which must be null or lie in {@code least..most}. */
    public static Integer within(String key, Integer value, int least, int most) {
        if (value != null && (value < least || value > most)) {
            throw new InvalidValueException(
                    key,
                    value + " must be "
                            + (most == Integer.MAX_VALUE ? "at least " + least : "in " + least + ".." + most));
        }
        return value;
    }

    /** {@code value}, which must be null or a finite number greater than 0. */
    public static Double positive(String key, Double value) {
        if (value != null && !(Double.isFinite(value) && value > 0)) {
            throw new InvalidValueException(key, value + " must be a finite number greater than 0");
        }
        return value;
    }

    /** {@code value}, which must be null or a finite number of at least {@code least} and at most {@code most}. */
    public static Double within(String key, Double value, double least, double most) {
        if (value != null && !(value >= least && value <= most && Double.isFinite(value))) {
            throw new InvalidValueException(key, value + " must be a finite number in " + least + ".." + most);
        }
        return value;
    }

    /** {@code value}, which must be null or an absolute http or https URL. */
    public static String httpUrl(String key, String value) {
        if (value == null) {
            return null;
        }
        try {
            var uri = new URI(value);
            if (uri.getHost() != null
                    && ("http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme()))) {
                return value;
            }
        } catch (java.net.URISyntaxException notAUrl) {
            // refused below, with the value
        }
        throw new InvalidValueException(
                key, "'" + value + "' is not an http or https URL such as http://127.0.0.1:8080");
    }

    /** An unmodifiable copy that keeps order and null elements; the empty list for null. */
    public static <T> List<T> list(List<? extends T> value) {
        return value == null ? List.of() : Collections.unmodifiableList(new ArrayList<>(value));
    }

    /** A list that is handed over, unmodifiable from here on and not copied: its elements may be made when they are asked for. The empty list for null. */
    static <T> List<T> handedOver(List<? extends T> value) {
        return value == null ? List.of() : Collections.unmodifiableList(value);
    }

    /** An unmodifiable copy that keeps order and null values; the empty map for null. */
    public static <K, V> Map<K, V> map(Map<? extends K, ? extends V> value) {
        return value == null ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(value));
    }

    /** A copy of a map of environment variables: no process can be given an empty name, one with {@code =}, or a NUL in either; values must not be null. */
    public static Map<String, String> env(String key, Map<String, String> value) {
        var copy = Check.<String, String>map(value);
        copy.forEach((name, text) -> {
            if (name.isEmpty() || name.indexOf('=') >= 0 || name.indexOf('\0') >= 0) {
                throw new InvalidValueException(
                        key, "'" + name + "' is no name of a variable: it must not be empty or hold '=' or NUL");
            }
            if (text == null) {
                throw new InvalidValueException(key + "." + name, "must be a string, not null");
            }
            if (text.indexOf('\0') >= 0) {
                throw new InvalidValueException(key + "." + name, "must not hold NUL");
            }
        });
        return copy;
    }
}
