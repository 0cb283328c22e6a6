package dev.polar.trace;

import java.util.Optional;

/** What ids say. */
public interface TokenTexts {
    /** The text of ids in a row; empty where nobody can tell. */
    Optional<String> text(int[] ids) throws InterruptedException;

    /** Nobody can tell. */
    TokenTexts UNKNOWN = _ -> Optional.empty();

    /** The text, else the ids in brackets. */
    default String show(int[] ids) throws InterruptedException {
        var text = text(ids);
        if (text.isPresent()) {
            return text.get();
        }
        var shown = new StringBuilder();
        for (int id : ids) {
            shown.append('<').append(id).append('>');
        }
        return shown.toString();
    }
}
