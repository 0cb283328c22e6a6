package dev.polar.capture;

import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The texts of ids that this node has seen in answers. Thread-safe.
 *
 * <p>Only what an id always says counts: an id seen with two texts says nothing, and neither does one that stands for a part of a character (engines give it an empty text, and the whole
 * character to the id that completes it).
 */
final class TokenTexts {
    private static final String AMBIGUOUS = "\uFFFD";

    private final ConcurrentHashMap<Integer, String> texts = new ConcurrentHashMap<>();

    void seen(int[] ids, String[] tokenTexts) {
        if (ids == null || tokenTexts == null || ids.length != tokenTexts.length) {
            return;
        }
        boolean inCharacter = false;
        for (int i = 0; i < ids.length; i++) {
            var text = tokenTexts[i];
            boolean part = text == null || text.isEmpty();
            put(ids[i], part || inCharacter ? AMBIGUOUS : text);
            inCharacter = part;
        }
    }

    private void put(int id, String text) {
        var known = texts.putIfAbsent(id, text);
        if (known != null && !known.equals(text)) {
            texts.put(id, AMBIGUOUS);
        }
    }

    /** The text of a sequence; empty where one of its ids says nothing. */
    Optional<String> of(int[] ids) {
        var whole = new StringBuilder();
        for (int id : ids) {
            var text = texts.get(id);
            if (text == null || text.equals(AMBIGUOUS)) {
                return Optional.empty();
            }
            whole.append(text);
        }
        return Optional.of(whole.toString());
    }
}
