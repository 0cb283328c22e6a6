package dev.polar.trajectory;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.polar.capture.TailClass;
import dev.polar.spi.InvalidValueException;
import java.util.Locale;

/** Which tails a trace may go over. */
public enum Merge {
    EXACT(TailClass.EXACT),
    /** Retokenized ones too. */
    SAME_TEXT(TailClass.RETOKENIZED),
    /** Rewritten ones too, where a turn ends in them. */
    ANY(TailClass.REWRITTEN);

    private final TailClass loosest;

    Merge(TailClass loosest) {
        this.loosest = loosest;
    }

    /** True where a tail of this class may be merged. */
    boolean takes(TailClass tail) {
        return tail.compareTo(loosest) <= 0;
    }

    @JsonValue
    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @throws InvalidValueException for a word that is none of them */
    @JsonCreator
    public static Merge of(String word) {
        for (var merge : values()) {
            if (merge.wire().equals(word)) {
                return merge;
            }
        }
        throw new InvalidValueException("merge", "'" + word + "' is none of exact, same_text, any");
    }
}
