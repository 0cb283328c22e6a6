package dev.polar.proxy;

import java.util.Optional;

/**
 * A path of Google's API, taken apart: {@code /v1beta/models/{model}:{verb}}.
 *
 * @param model may hold slashes
 */
record GoogleMethod(String model, Verb verb) {
    static final String BASE = "/v1beta/";

    private static final String MODELS = BASE + "models/";

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
        if (!path.startsWith(MODELS) || colon <= MODELS.length()) {
            return Optional.empty();
        }
        var word = path.substring(colon + 1);
        for (var verb : Verb.values()) {
            if (verb.word.equals(word)) {
                return Optional.of(new GoogleMethod(path.substring(MODELS.length(), colon), verb));
            }
        }
        return Optional.empty();
    }
}
