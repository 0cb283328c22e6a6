package dev.polar.continuation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextClassTest {
    private static Optional<TextClass> of(String shown, String sampled, String reasoning) {
        return TextClass.of(shown, sampled, () -> reasoning);
    }

    @ParameterizedTest
    @CsvSource({
        "fishing, fishing, SAME_TEXT",
        "'{\"a\": 1, \"b\": 2}', '{\"a\":1,\"b\":2}', WHITE_SPACE",
        "'  padded\n', padded, WHITE_SPACE",
        "cut, 'cut\uFFFD', SAME_TEXT",
        "'cut\uFFFD\uFFFD', cut, SAME_TEXT",
    })
    void texts_that_mean_the_same(String shown, String sampled, TextClass expected) {
        assertThat(of(shown, sampled, "")).contains(expected);
    }

    @ParameterizedTest
    @CsvSource({"fishing, fisher", "short, shorter", "'', something", "'a\uFFFDb', ab", "longer, long"})
    void texts_that_do_not(String shown, String sampled) {
        assertThat(of(shown, sampled, "")).isEmpty();
    }

    @Test
    void an_empty_text_is_the_same_as_one_of_a_part_of_a_character() {
        assertThat(of("", "", "")).contains(TextClass.SAME_TEXT);
        assertThat(of("", "\uFFFD", "")).contains(TextClass.SAME_TEXT);
    }

    @Test
    void reasoning_may_be_dropped_with_its_tags_or_within_them() {
        var sampled = "\n<|im_start|>assistant\n<think>\nI think so.\n</think>\n\nSo it is.";
        assertThat(of("\n<|im_start|>assistant\nSo it is.", sampled, "I think so."))
                .contains(TextClass.REASONING_DROPPED);
        assertThat(of("\n<|im_start|>assistant\n<think>\n\n</think>\n\nSo it is.", sampled, "I think so."))
                .contains(TextClass.REASONING_DROPPED);
    }

    @Test
    void what_is_dropped_must_be_the_reasoning_and_in_one_piece() {
        var sampled = "<think>I think so.</think>So it is, and more.";
        assertThat(of("<think>I think so.</think>So it is.", sampled, "I think so."))
                .as("other text")
                .isEmpty();
        assertThat(of("So it is.", sampled, "I think so."))
                .as("more than the reasoning, in two pieces")
                .isEmpty();
        assertThat(of("So it is, and more.", sampled, ""))
                .as("an answer that had none")
                .isEmpty();
        assertThat(of("So it is, and more.", sampled, "I think otherwise."))
                .as("another's")
                .isEmpty();
    }
}
