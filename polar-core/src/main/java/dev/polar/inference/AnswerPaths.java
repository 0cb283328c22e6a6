package dev.polar.inference;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.spi.EngineProfile.AnswerPointers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A profile's pointers, made ready for one pass over an answer. Thread-safe. */
final class AnswerPaths {
    private final Node root = new Node();
    private final List<List<Lane>> lanes = new ArrayList<>();
    private final List<JsonPointer> matchedStop;
    private final List<JsonPointer> cachedTokens;
    private final List<String> weightVersion;
    private int laneCount;

    /** What a list holds. */
    enum Slot {
        PROMPT_IDS,
        SAMPLED_IDS,
        LOGPROBS,
        TOKEN_TEXTS
    }

    /** One pointer of a slot; {@code rank} 0 counts first. */
    record Lane(int number, Slot slot, int rank) {}

    /** A step of the pointers. {@code elements} is the step {@code *}. */
    static final class Node {
        final Map<String, Node> fields = new HashMap<>();
        Node elements;
        final List<Lane> below = new ArrayList<>();
        Lane lane;
    }

    AnswerPaths(AnswerPointers pointers) {
        compile(Slot.PROMPT_IDS, pointers.promptIds());
        compile(Slot.SAMPLED_IDS, pointers.sampledIds());
        compile(Slot.LOGPROBS, pointers.logprobs());
        compile(Slot.TOKEN_TEXTS, pointers.tokenTexts());
        matchedStop = pointers.matchedStop().stream().map(JsonPointer::compile).toList();
        cachedTokens =
                pointers.cachedTokens().stream().map(JsonPointer::compile).toList();
        weightVersion = pointers.weightVersion();
    }

    private void compile(Slot slot, List<String> pointers) {
        var ofSlot = new ArrayList<Lane>();
        for (int rank = 0; rank < pointers.size(); rank++) {
            var pointer = pointers.get(rank);
            var lane = new Lane(laneCount++, slot, rank);
            ofSlot.add(lane);
            var node = root;
            for (var step : (pointer.contains("/*") ? pointer : pointer + "/*")
                    .substring(1)
                    .split("/")) {
                if (step.equals("*")) {
                    node.below.add(lane);
                    node.elements = node.elements == null ? new Node() : node.elements;
                    node = node.elements;
                } else {
                    node = node.fields.computeIfAbsent(
                            step.replace("~1", "/").replace("~0", "~"), ignored -> new Node());
                }
            }
            node.lane = lane;
        }
        lanes.add(ofSlot);
    }

    Node root() {
        return root;
    }

    /** How many columns one answer needs. */
    int laneCount() {
        return laneCount;
    }

    /**
     * An answer out of what was read.
     *
     * @param body with a first choice
     * @param columns one for each lane, null where its list was not there
     * @param shown see {@link EngineAnswer#shown}
     */
    EngineAnswer answer(ObjectNode body, Column[] columns, JsonNode shown) {
        var cached = first(body, cachedTokens);
        return new EngineAnswer(
                body,
                ids(best(columns, Slot.PROMPT_IDS)),
                ids(best(columns, Slot.SAMPLED_IDS)),
                doubles(best(columns, Slot.LOGPROBS)),
                texts(best(columns, Slot.TOKEN_TEXTS)),
                versions(body),
                first(body, matchedStop),
                cached != null && cached.canConvertToInt() ? cached.intValue() : -1,
                shown);
    }

    /** The best lane that was there. */
    Column best(Column[] columns, Slot slot) {
        for (var lane : lanes.get(slot.ordinal())) {
            if (columns[lane.number] != null) {
                return columns[lane.number];
            }
        }
        return null;
    }

    private static JsonNode first(JsonNode body, List<JsonPointer> pointers) {
        for (var pointer : pointers) {
            var found = body.at(pointer);
            if (!found.isMissingNode() && !found.isNull()) {
                return found;
            }
        }
        return null;
    }

    private List<String> versions(JsonNode body) {
        for (var pointer : weightVersion) {
            int star = pointer.indexOf("/*");
            var found = new ArrayList<String>();
            if (star < 0) {
                add(found, body.at(pointer));
            } else {
                for (var element : body.at(pointer.substring(0, star))) {
                    add(found, element.at(pointer.substring(star + 2)));
                }
            }
            if (!found.isEmpty()) {
                return List.copyOf(found);
            }
        }
        return List.of();
    }

    private static void add(List<String> versions, JsonNode version) {
        if (version.isValueNode() && !version.isNull()) {
            versions.add(version.asText());
        }
    }

    private static int[] ids(Column column) {
        return column == null || column.broken ? null : column.ints();
    }

    private static double[] doubles(Column column) {
        return column == null ? null : column.doubles();
    }

    private static String[] texts(Column column) {
        return column == null ? null : column.texts.toArray(String[]::new);
    }
}
