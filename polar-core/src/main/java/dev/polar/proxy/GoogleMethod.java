package dev.polar.proxy;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A path of Google's API, taken apart: {@code /v1beta/models/{model}:{verb}}, or the same below {@code /v1}.
 *
 * @param model may hold slashes
 */
record GoogleMethod(String model, Verb verb) {
    private static final String BETA = "/v1beta/";
    private static final List<String> MODELS = List.of(BETA + "models/", "/v1/models/");

    /** What is asked of the model. */
    enum Verb {
        GENERATE("generateContent"),
        STREAM("streamGenerateContent"),
        COUNT("countTokens");

        private final String word;

        Verb(String word) {
            this.word = word;
        }
    }

    /** Empty for a path that is not served. */
    static Optional<GoogleMethod> of(String path) {
        int colon = path.lastIndexOf(':');
        for (var models : MODELS) {
            if (path.startsWith(models) && colon > models.length()) {
                var word = path.substring(colon + 1);
                return Arrays.stream(Verb.values())
                        .filter(verb -> verb.word.equals(word))
                        .map(verb -> new GoogleMethod(path.substring(models.length(), colon), verb))
                        .findFirst();
            }
        }
        return Optional.empty();
    }

    /** Whether a caller of this path expects errors in Google's words, served or not. */
    static boolean isGoogles(String path) {
        return path.startsWith(BETA) || of(path).isPresent();
    }
}
