package dev.polar.wire;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.exc.InvalidTypeIdException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.spi.InvalidValueException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Binds JSON from outside to records, and says in one sentence what does not fit. Thread-safe. */
public final class Binder {
    private Binder() {}

    /**
     * Strict: an unknown key is refused with the nearest known one.
     *
     * @param path prefix for the paths in messages, for example {@code agent.settings}; empty for a whole body
     * @throws BindingException where it does not fit
     */
    public static <T> T bind(JsonNode tree, Class<T> type, String path) {
        if (tree == null || !tree.isObject()) {
            throw new BindingException(path, "must be a JSON object");
        }
        try {
            return Json.STRICT.treeToValue(tree, type);
        } catch (JacksonException refused) {
            throw translate(refused, path);
        }
    }

    /** For what our own processes send: unknown keys are tolerated, so that they need not be upgraded together. */
    public static <T> T bindTolerant(JsonNode tree, Class<T> type) {
        if (tree == null || !tree.isObject()) {
            throw new BindingException("", "must be a JSON object");
        }
        try {
            return Json.MAPPER.treeToValue(tree, type);
        } catch (JacksonException refused) {
            throw translate(refused, "");
        }
    }

    /** As {@link #bind(JsonNode, Class, String)}, for free-form settings, for example {@code agent.settings}. */
    public static <T> T bind(Map<String, Object> settings, Class<T> type, String path) {
        return bind(Json.MAPPER.<ObjectNode>valueToTree(settings), type, path);
    }

    /**
     * A whole body as a tree.
     *
     * @throws NotJsonException where it is no JSON
     */
    public static JsonNode parse(byte[] body) {
        try {
            var tree = Json.MAPPER.readTree(body);
            if (tree == null || tree.isMissingNode()) {
                throw new NotJsonException("the body is empty; a JSON object was expected");
            }
            return tree;
        } catch (java.io.IOException notJson) {
            throw new NotJsonException("the body is not JSON: " + firstLine(notJson));
        }
    }

    /** The one of {@code known} that is nearest to {@code word} by edit distance, where one is near at all; else null. */
    public static String nearest(String word, Collection<?> known) {
        return known.stream()
                .map(Objects::toString)
                .filter(candidate -> distance(word, candidate) <= Math.max(2, word.length() / 3))
                .min(Comparator.comparingInt(candidate -> distance(word, candidate)))
                .orElse(null);
    }

    /** A sentence for a key or name that is not known. */
    public static String unknown(String what, String word, Collection<?> known) {
        var nearest = nearest(word, known);
        var sorted = known.stream().map(Objects::toString).sorted().toList();
        return "unknown " + what + " '" + word + "'" + (nearest == null ? "" : ", did you mean '" + nearest + "'?")
                + " (known: " + (sorted.isEmpty() ? "none" : String.join(", ", sorted)) + ")";
    }

    private static BindingException translate(JacksonException refused, String prefix) {
        var path = refused instanceof JsonMappingException mapping ? join(prefix, mapping.getPath()) : prefix;
        if (refused instanceof UnrecognizedPropertyException unknown) {
            var known = unknown.getKnownPropertyIds() == null ? List.of() : unknown.getKnownPropertyIds();
            return new UnknownKeyException(
                    path, steps(unknown.getPath()), unknown("key", unknown.getPropertyName(), known));
        }
        for (Throwable cause = refused.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof InvalidValueException invalid) {
                var whole = join(path, invalid.path());
                return new BindingException(
                        whole, invalid.getMessage().substring(invalid.path().length() + 2));
            }
        }
        if (refused instanceof InvalidTypeIdException type) {
            var id = type.getTypeId();
            return new BindingException(join(path, "type"), id == null ? "is required" : "'" + id + "' is not known");
        }
        if (refused instanceof MismatchedInputException mismatch && mismatch.getTargetType() != null) {
            return new BindingException(path, "must be " + describe(mismatch.getTargetType()));
        }
        return new BindingException(path, firstLine(refused));
    }

    private static String describe(Class<?> type) {
        if (type == String.class) {
            return "a string";
        }
        if (type == Boolean.class || type == boolean.class) {
            return "true or false";
        }
        if (type == Integer.class || type == Long.class || type == int.class || type == long.class) {
            return "an integer";
        }
        if (Number.class.isAssignableFrom(type) || type == double.class) {
            return "a number";
        }
        return Collection.class.isAssignableFrom(type) ? "a list" : "an object";
    }

    private static List<Object> steps(List<JsonMappingException.Reference> references) {
        return references.stream()
                .<Object>map(
                        reference -> reference.getFieldName() == null ? reference.getIndex() : reference.getFieldName())
                .toList();
    }

    private static String join(String prefix, List<JsonMappingException.Reference> references) {
        var path = new StringBuilder(prefix);
        for (var reference : references) {
            if (reference.getFieldName() == null) {
                path.append('[').append(reference.getIndex()).append(']');
            } else {
                path.append(path.isEmpty() ? "" : ".").append(reference.getFieldName());
            }
        }
        return path.toString();
    }

    private static String join(String prefix, String key) {
        return prefix.isEmpty() || prefix.equals(key) || prefix.endsWith("." + key)
                ? (prefix.isEmpty() ? key : prefix)
                : prefix + "." + key;
    }

    private static String firstLine(Exception problem) {
        var message = problem instanceof JacksonException jackson ? jackson.getOriginalMessage() : problem.getMessage();
        return message == null
                ? problem.getClass().getSimpleName()
                : message.lines().findFirst().orElse("");
    }

    private static int distance(String a, String b) {
        var row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int substituted = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(substituted, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
