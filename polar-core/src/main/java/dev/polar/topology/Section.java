package dev.polar.topology;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.spi.Check;
import dev.polar.spi.InvalidValueException;
import dev.polar.wire.Binder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * One mapping of the file with its overrides. Each read checks the type and says what was expected; a key that is null counts as absent; what an override gives is read as plain YAML and wins.
 */
final class Section {
    private final YamlFile file;
    private final ObjectNode tree;
    private final String path;
    private final String configuration;
    private final Function<String, Optional<String>> override;

    private Section(
            YamlFile file,
            ObjectNode tree,
            String path,
            String configuration,
            Function<String, Optional<String>> override) {
        this.file = file;
        this.tree = tree;
        this.path = path;
        this.configuration = configuration;
        this.override = override;
    }

    static Section root(YamlFile file, Function<String, Optional<String>> override) {
        return new Section(file, file.root(), "", "polar", override);
    }

    /** Refuses every key that is none of {@code known}. */
    Section only(String... known) {
        var names = Set.of(known);
        tree.fieldNames().forEachRemaining(name -> {
            if (!names.contains(name)) {
                throw file.refuse(path(name), Binder.unknown("key", name, names));
            }
        });
        return this;
    }

    /** The mapping under that key; an empty one where there is none. */
    Section section(String key) {
        return new Section(file, object(key), path(key), configuration + "." + key, override);
    }

    /** The mapping under that key as it stands; an empty one where there is none. */
    ObjectNode object(String key) {
        var value = raw(key);
        if (value == null) {
            return JsonNodeFactory.instance.objectNode();
        }
        if (value instanceof ObjectNode mapping) {
            return mapping;
        }
        throw wrong(key, value, "a mapping");
    }

    /** The mappings of the list under that key. Overrides name them by the text under {@code idKey}. */
    List<Section> sections(String key, String idKey) {
        var value = raw(key);
        if (value == null) {
            return List.of();
        }
        if (!value.isArray()) {
            throw wrong(key, value, "a list of mappings");
        }
        var sections = new ArrayList<Section>();
        for (var element : value) {
            var at = path(key) + "[" + sections.size() + "]";
            if (!(element instanceof ObjectNode mapping)) {
                throw file.refuse(at, describe(element) + " is not a mapping");
            }
            var id = mapping.path(idKey).isTextual() ? mapping.get(idKey).textValue() : "" + sections.size();
            sections.add(new Section(file, mapping, at, configuration + "." + key + "." + id, override));
        }
        return sections;
    }

    /** True where the file or an override says something about the key. */
    boolean has(String key) {
        return value(key) != null;
    }

    String text(String key, String byDefault) {
        var overridden = overridden(key);
        if (overridden.isPresent()) {
            return overridden.get();
        }
        var value = raw(key);
        if (value == null) {
            return byDefault;
        }
        if (!value.isTextual()) {
            throw wrong(key, value, "a string (quote it if it is meant as one)");
        }
        return value.textValue();
    }

    String requiredText(String key) {
        var text = text(key, null);
        if (text == null || text.isBlank()) {
            throw refuse(key, text == null ? "is required" : "must not be empty");
        }
        return text;
    }

    boolean flag(String key, boolean byDefault) {
        var value = value(key);
        if (value == null) {
            return byDefault;
        }
        if (!value.isBoolean()) {
            throw wrong(key, value, "true or false");
        }
        return value.booleanValue();
    }

    /** A whole number of at least {@code least}. */
    int integer(String key, int byDefault, int least) {
        return integer(key, byDefault, least, Integer.MAX_VALUE);
    }

    int integer(String key, int byDefault, int least, int most) {
        var value = value(key);
        if (value == null) {
            return byDefault;
        }
        if (!value.canConvertToInt()
                || !value.isIntegralNumber()
                || value.intValue() < least
                || value.intValue() > most) {
            throw wrong(
                    key,
                    value,
                    "a whole number "
                            + (most == Integer.MAX_VALUE ? "of at least " + least : "in " + least + ".." + most));
        }
        return value.intValue();
    }

    /** Any whole number, or null where there is none. */
    Long whole(String key) {
        var value = value(key);
        if (value != null && !(value.isIntegralNumber() && value.canConvertToLong())) {
            throw wrong(key, value, "a whole number of at most 64 bits");
        }
        return value == null ? null : Long.valueOf(value.longValue());
    }

    double positive(String key, double byDefault) {
        var number = number(key, byDefault, "a number greater than 0");
        if (!(number > 0)) {
            throw wrong(key, value(key), "a number greater than 0");
        }
        return number;
    }

    double atLeastZero(String key, double byDefault) {
        var number = number(key, byDefault, "a number of at least 0");
        if (!(number >= 0)) {
            throw wrong(key, value(key), "a number of at least 0");
        }
        return number;
    }

    private double number(String key, double byDefault, String expected) {
        var value = value(key);
        if (value == null) {
            return byDefault;
        }
        if (!value.isNumber() || !Double.isFinite(value.doubleValue())) {
            throw wrong(key, value, expected);
        }
        return value.doubleValue();
    }

    /** One of the constants' names in lower case. */
    <E extends Enum<E>> E choice(String key, Class<E> type, E byDefault) {
        var value = value(key);
        if (value == null) {
            return byDefault;
        }
        var words = new ArrayList<String>();
        for (var constant : type.getEnumConstants()) {
            var word = constant.name().toLowerCase(Locale.ROOT);
            if (value.isTextual() && value.textValue().equals(word)) {
                return constant;
            }
            words.add(word);
        }
        throw wrong(key, value, "one of " + String.join(", ", words));
    }

    /** An http or https URL without a trailing slash. */
    String url(String key, String byDefault) {
        var text = text(key, null);
        return text == null ? byDefault : checkedUrl(key, text);
    }

    /** A list of strings; a single one, or several with commas between in an override, counts as one. */
    List<String> texts(String key) {
        var overridden = overridden(key);
        if (overridden.isPresent()) {
            return List.of(overridden.get().strip().split("\\s*,\\s*"));
        }
        var value = raw(key);
        if (value == null) {
            return List.of();
        }
        if (value.isTextual()) {
            return List.of(value.textValue());
        }
        if (!value.isArray()) {
            throw wrong(key, value, "a list of strings");
        }
        var texts = new ArrayList<String>();
        for (var element : value) {
            if (!element.isTextual() || element.textValue().isBlank()) {
                throw wrong(key + "[" + texts.size() + "]", element, "a string");
            }
            texts.add(element.textValue());
        }
        return texts;
    }

    /** URLs of an inference server, without a trailing slash and without {@code /v1}. */
    List<String> serverUrls(String key, String byDefault) {
        var texts = texts(key);
        return (texts.isEmpty() ? List.of(byDefault) : texts)
                .stream().map(text -> serverUrl(key, text)).toList();
    }

    String serverUrl(String key, String text) {
        var url = checkedUrl(key, text);
        return url.endsWith("/v1") ? url.substring(0, url.length() - "/v1".length()) : url;
    }

    /** A whole mapping bound to a record of the SPI; null where there is none. */
    <T> T bound(String key, Class<T> type) {
        return raw(key) == null ? null : Specs.bind(file, object(key), type, path(key));
    }

    TopologyException refuse(String key, String problem) {
        var from = overridden(key).map(_ -> configuration + "." + key).orElseGet(() -> file.place(path(key)));
        return new TopologyException(from, path(key), problem);
    }

    String path(String key) {
        return path.isEmpty() ? key : path + "." + key;
    }

    private String checkedUrl(String key, String text) {
        try {
            var url = Check.httpUrl(key, text);
            var end = url.length();
            while (url.charAt(end - 1) == '/') {
                end--;
            }
            return url.substring(0, end);
        } catch (InvalidValueException refused) {
            throw refuse(key, refused.getMessage().substring(refused.path().length() + 2));
        }
    }

    private TopologyException wrong(String key, JsonNode value, String expected) {
        return refuse(key, describe(value) + " is not " + expected);
    }

    private JsonNode value(String key) {
        var value = overridden(key).map(YamlFile::plain).orElseGet(() -> raw(key));
        return value == null || value.isNull() ? null : value;
    }

    private JsonNode raw(String key) {
        return tree.hasNonNull(key) ? tree.get(key) : null;
    }

    private Optional<String> overridden(String key) {
        return override.apply(configuration + "." + key);
    }

    static String describe(JsonNode value) {
        return switch (value.getNodeType()) {
            case OBJECT -> "a mapping";
            case ARRAY -> "a list";
            case NULL -> "null";
            case STRING -> "'" + value.textValue() + "'";
            default -> value.asText();
        };
    }
}
