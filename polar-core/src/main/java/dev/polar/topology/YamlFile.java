package dev.polar.topology;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.schema.CoreSchema;
import org.snakeyaml.engine.v2.schema.Schema;

/**
 * A YAML (or JSON) file as a JSON tree that remembers the line of each key. YAML 1.2 core schema: {@code no} and {@code on} are text. A key that stands twice is refused. Immutable after
 * reading, but {@link #root()} is the caller's to change.
 */
public final class YamlFile {
    private final Path file;
    private final UnaryOperator<String> expansion;
    private final Schema schema = new CoreSchema();
    private final Map<String, Integer> lines = new HashMap<>();
    private final Deque<Node> open = new ArrayDeque<>();
    private ObjectNode root = JsonNodeFactory.instance.objectNode();

    private YamlFile(Path file, UnaryOperator<String> expansion) {
        this.file = file;
        this.expansion = expansion;
    }

    /**
     * Reads a file whose root is a mapping; an empty file is an empty one.
     *
     * @throws TopologyException that names the line where it cannot be read
     */
    public static YamlFile read(Path file) {
        return read(file, UnaryOperator.identity());
    }

    /**
     * The same, with {@code expansion} applied to the text of each value.
     *
     * @param expansion may throw {@link IllegalArgumentException} with what is wrong
     */
    public static YamlFile read(Path file, UnaryOperator<String> expansion) {
        var yaml = new YamlFile(file, expansion);
        try {
            var settings = LoadSettings.builder()
                    .setLabel(file.toString())
                    .setSchema(yaml.schema)
                    .build();
            var document = new Compose(settings).composeString(Files.readString(file));
            if (document.isPresent()) {
                yaml.readRoot(document.get());
            }
            return yaml;
        } catch (MarkedYamlEngineException refused) {
            var line = refused.getProblemMark().map(Mark::getLine).orElse(0) + 1;
            throw new TopologyException(file + ":" + line, "", "is not YAML: " + refused.getProblem());
        } catch (YamlEngineException refused) {
            throw new TopologyException(file + ":1", "", "is not YAML: " + firstLine(refused.getMessage()));
        } catch (NoSuchFileException missing) {
            throw new TopologyException(file.toString(), "", "there is no such file");
        } catch (CharacterCodingException binary) {
            throw new TopologyException(file.toString(), "", "is not UTF-8 text");
        } catch (IOException unreadable) {
            throw new TopologyException(
                    file.toString(),
                    "",
                    "cannot be read: " + unreadable.getClass().getSimpleName() + " " + unreadable.getMessage());
        }
    }

    /** The file that was read. */
    public Path file() {
        return file;
    }

    /** The file's folder, absolute. */
    public Path folder() {
        return file.toAbsolutePath().normalize().getParent();
    }

    /** The mapping that the file holds. */
    public ObjectNode root() {
        return root;
    }

    /** {@code file:line} of the key at that path, or of the nearest key around it that is in the file. */
    public String place(String path) {
        for (var at = path; !at.isEmpty(); at = parent(at)) {
            var line = lines.get(at);
            if (line != null) {
                return file + ":" + line;
            }
        }
        return file + ":1";
    }

    /** The exception for a value at that path. */
    public TopologyException refuse(String path, String problem) {
        return new TopologyException(place(path), path, problem);
    }

    private void readRoot(Node node) {
        var tree = convert(node, "");
        if (tree instanceof ObjectNode mapping) {
            root = mapping;
        } else if (!tree.isNull()) {
            throw new TopologyException(
                    file + ":" + line(node), "", "holds " + Section.describe(tree) + ", a mapping was expected");
        }
    }

    private JsonNode convert(Node node, String path) {
        lines.putIfAbsent(path, line(node));
        if (open.contains(node)) {
            throw refuse(path, "the alias refers to itself");
        }
        open.push(node);
        var tree = switch (node) {
            case MappingNode mapping -> mapping(mapping, path);
            case SequenceNode sequence -> sequence(sequence, path);
            case ScalarNode scalar -> scalar(scalar, path);
            default -> throw refuse(path, "unexpected YAML node " + node.getNodeType());
        };
        open.pop();
        return tree;
    }

    private ObjectNode mapping(MappingNode mapping, String path) {
        var tree = JsonNodeFactory.instance.objectNode();
        for (var entry : mapping.getValue()) {
            if (!(entry.getKeyNode() instanceof ScalarNode key)) {
                throw new TopologyException(file + ":" + line(entry.getKeyNode()), path, "a key must be plain text");
            }
            var child = path.isEmpty() ? key.getValue() : path + "." + key.getValue();
            if (tree.has(key.getValue())) {
                throw new TopologyException(
                        file + ":" + line(key), child, "stands twice (first in line " + lines.get(child) + ")");
            }
            lines.put(child, line(key));
            tree.set(key.getValue(), convert(entry.getValueNode(), child));
        }
        return tree;
    }

    private JsonNode sequence(SequenceNode sequence, String path) {
        var tree = JsonNodeFactory.instance.arrayNode();
        for (var element : sequence.getValue()) {
            tree.add(convert(element, path + "[" + tree.size() + "]"));
        }
        return tree;
    }

    private JsonNode scalar(ScalarNode scalar, String path) {
        String text;
        try {
            text = expansion.apply(scalar.getValue());
        } catch (IllegalArgumentException refused) {
            throw refuse(path, refused.getMessage());
        }
        // What an expansion put there is read as if it had been written there.
        var tag = text.equals(scalar.getValue())
                ? scalar.getTag()
                : schema.getScalarResolver().resolve(text, scalar.isPlain());
        return typed(text, tag);
    }

    /** A value that stands outside the file (in the environment, say), read as plain YAML. */
    static JsonNode plain(String text) {
        return typed(text, new CoreSchema().getScalarResolver().resolve(text, true));
    }

    private static JsonNode typed(String text, Tag tag) {
        var nodes = JsonNodeFactory.instance;
        if (tag.equals(Tag.NULL)) {
            return nodes.nullNode();
        }
        if (tag.equals(Tag.BOOL)) {
            return nodes.booleanNode(Boolean.parseBoolean(text));
        }
        if (tag.equals(Tag.INT)) {
            return integer(text);
        }
        return tag.equals(Tag.FLOAT) ? floating(text) : nodes.textNode(text);
    }

    private static JsonNode integer(String text) {
        var nodes = JsonNodeFactory.instance;
        var value = text.startsWith("0x")
                ? new BigInteger(text.substring(2), 16)
                : text.startsWith("0o") ? new BigInteger(text.substring(2), 8) : new BigInteger(text);
        if (value.bitLength() < Integer.SIZE) {
            return nodes.numberNode(value.intValue());
        }
        return value.bitLength() < Long.SIZE ? nodes.numberNode(value.longValue()) : nodes.numberNode(value);
    }

    private static JsonNode floating(String text) {
        var nodes = JsonNodeFactory.instance;
        return switch (text.toLowerCase(java.util.Locale.ROOT)) {
            case ".nan" -> nodes.numberNode(Double.NaN);
            case ".inf", "+.inf" -> nodes.numberNode(Double.POSITIVE_INFINITY);
            case "-.inf" -> nodes.numberNode(Double.NEGATIVE_INFINITY);
            default -> nodes.numberNode(Double.parseDouble(text));
        };
    }

    private static int line(Node node) {
        return node.getStartMark().map(Mark::getLine).orElse(0) + 1;
    }

    private static String parent(String path) {
        return path.substring(0, Math.max(0, Math.max(path.lastIndexOf('.'), path.lastIndexOf('['))));
    }

    private static String firstLine(String message) {
        return message == null ? "" : message.lines().findFirst().orElse("");
    }
}
