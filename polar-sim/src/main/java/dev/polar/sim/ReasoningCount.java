package dev.polar.sim;

/** Counts the tokens of a line that lie inside {@code <think>} tags. */
final class ReasoningCount {
    private ReasoningCount() {}

    static int of(int[] ids) {
        SimTokenizer tokenizer = SimTokenizer.shared();
        Characters characters = new Characters();
        StringBuilder text = new StringBuilder();
        for (int count = 0; count < ids.length; count++) {
            text.append(characters.append(tokenizer.bytes(ids[count])));
            if (text.indexOf(HermesParser.CLOSE_THINK) >= 0) {
                return text.indexOf(HermesParser.OPEN_THINK) == 0 ? count + 1 : 0;
            }
        }
        return text.indexOf(HermesParser.OPEN_THINK) == 0 ? ids.length : 0;
    }
}
