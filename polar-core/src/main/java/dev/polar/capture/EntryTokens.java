package dev.polar.capture;

/**
 * The ids of a completion's entry: of the prompt only what it adds.
 *
 * @param promptLength -1 where the engine gave no prompt ids
 * @param base ordinal of a completion whose prompt and answer begin as this prompt does, or {@link TokenTree#NOBODY}
 * @param shared how many ids it shares with that
 * @param added the prompt's ids after those
 * @param sampled null where the engine gave none
 * @param logprobs null where the engine gave none
 * @param texts null where the engine gave none
 */
record EntryTokens(
        int promptLength, int base, int shared, int[] added, int[] sampled, double[] logprobs, String[] texts) {
    void write(EntryWriter out) {
        out.bool(promptLength >= 0);
        if (promptLength >= 0) {
            out.number(promptLength).number(base + 1).number(shared).ids(added);
        }
        out.bool(sampled != null);
        if (sampled != null) {
            out.ids(sampled);
        }
        out.bool(logprobs != null);
        if (logprobs != null) {
            out.reals(logprobs);
        }
        out.bool(texts != null);
        if (texts != null) {
            out.number(texts.length);
            for (var text : texts) {
                out.optional(text);
            }
        }
    }

    static EntryTokens read(EntryReader in) {
        int length = -1;
        int base = TokenTree.NOBODY;
        int shared = 0;
        var added = new int[0];
        if (in.bool()) {
            length = in.integer();
            base = in.integer() - 1;
            shared = in.integer();
            added = in.ids();
        }
        var sampled = in.bool() ? in.ids() : null;
        var logprobs = in.bool() ? in.reals() : null;
        String[] texts = null;
        if (in.bool()) {
            texts = new String[in.integer()];
            for (int i = 0; i < texts.length; i++) {
                texts[i] = in.optional();
            }
        }
        return new EntryTokens(length, base, shared, added, sampled, logprobs, texts);
    }
}
