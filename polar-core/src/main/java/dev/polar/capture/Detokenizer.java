package dev.polar.capture;

import java.util.List;
import java.util.Optional;

/** Texts of token ids, from the engine. */
@FunctionalInterface
public interface Detokenizer {
    /** An engine that has no such endpoint: texts seen in answers are used. */
    Detokenizer NONE = sequences -> Optional.empty();

    /**
     * One text for each sequence, in order, special tokens written out; empty where the engine cannot tell. The caller asks for each distinct sequence once.
     */
    Optional<List<String>> texts(List<int[]> sequences);
}
