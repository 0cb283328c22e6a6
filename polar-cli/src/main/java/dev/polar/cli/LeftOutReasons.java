package dev.polar.cli;

/** The reasons of an export, in words for people. */
final class LeftOutReasons {
    private LeftOutReasons() {}

    static String phrase(String reason) {
        return switch (reason) {
            case "status" -> "of sessions with another status";
            case "role" -> "of another role";
            case "reward" -> "with a reward out of bounds";
            case "no_reward" -> "without a reward";
            case "not_trainable" -> "with nothing to train on";
            case "not_only_text" ->
                "with pictures or other content than text (--images says how pictures shall stand in rows)";
            case "other_content" -> "with content that the format has no word for";
            case "unaligned" -> "whose mask or log-probabilities are not as long as the response";
            case "turns_unclear" -> "with assistant messages that were not sampled, so that turns cannot be told apart";
            case "tails_not_exact" -> "of sessions whose tails are not all exact";
            default -> reason;
        };
    }
}
