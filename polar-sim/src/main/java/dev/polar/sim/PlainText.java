package dev.polar.sim;

import java.util.List;
import java.util.random.RandomGenerator;

/** The default policy: one to three short English sentences that differ from draw to draw. */
final class PlainText {
    private static final List<String> OPENINGS =
            List.of("Sure.", "Okay.", "Good question.", "Here is what I think.", "Let me see.", "Right.");
    private static final List<String> SUBJECTS = List.of(
            "The plan",
            "This answer",
            "The next step",
            "The result",
            "That idea",
            "The first part",
            "My guess",
            "The whole thing");
    private static final List<String> PREDICATES = List.of(
            "looks simple enough",
            "needs one more look",
            "is close to done",
            "depends on the input",
            "works in most cases",
            "should be easy to check",
            "is worth a second try",
            "comes out as expected");
    private static final List<String> ENDINGS = List.of(
            ".",
            ", as far as I can see.",
            ", and nothing else has to change.",
            " today.",
            ", which is a good sign.",
            " for now.");

    private PlainText() {}

    static String draw(RandomGenerator random) {
        StringBuilder out = new StringBuilder(random.nextInt(3) == 0 ? pick(OPENINGS, random) : "");
        for (int left = 1 + random.nextInt(2); left > 0; left--) {
            out.append(out.isEmpty() ? "" : " ")
                    .append(pick(SUBJECTS, random))
                    .append(' ')
                    .append(pick(PREDICATES, random))
                    .append(pick(ENDINGS, random));
        }
        return out.toString();
    }

    private static String pick(List<String> words, RandomGenerator random) {
        return words.get(random.nextInt(words.size()));
    }
}
