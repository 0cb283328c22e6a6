package dev.polar.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class SimTokenizerTest {
    private static final SimTokenizer TOKENIZER = SimTokenizer.shared();
    private static final List<String> TEXTS = List.of(
            "The capital of France is Paris.",
            "def add(a, b):\n    return a + b\n\n\nprint(add(1, 2034))\n",
            "{\"name\": \"read_file\", \"arguments\": {\"path\": \"/a/b.py\", \"limit\": 10}}",
            "日本語 🙂 café – naïve \t  \n\n Ωμέγα",
            "   leading and trailing   ",
            "\u0000\u0001\u007f control");

    @Test
    void text_comes_back_from_its_ids() {
        for (String text : TEXTS) {
            assertThat(TOKENIZER.decode(TOKENIZER.encode(text))).isEqualTo(text);
        }
    }

    @Test
    void long_text_is_not_cut() {
        String text = "one two three ".repeat(5000);
        assertThat(TOKENIZER.decode(TOKENIZER.encode(text))).isEqualTo(text);
    }

    @Test
    void a_prompt_is_the_sum_of_its_messages_however_often_it_is_encoded() {
        String first = "<|im_start|>user\n  Hello ";
        String second = "<|im_start|> there\n<|im_end|>\n";
        int[] both = TOKENIZER.encode(first + second);
        assertThat(both).isEqualTo(TOKENIZER.encode(first + second));
        assertThat(both).startsWith(TOKENIZER.encode(first)).endsWith(TOKENIZER.encode(second));
        assertThat(TOKENIZER.decode(both)).isEqualTo(first + second);
    }

    @Test
    void a_full_cache_drops_what_was_not_used_for_longest() {
        SegmentCache cache = new SegmentCache(5);
        AtomicInteger encoded = new AtomicInteger();
        Function<String, int[]> encode = text -> new int[] {encoded.incrementAndGet(), 0};
        int[] a = cache.get("a", encode);
        cache.get("b", encode);
        assertThat(cache.get("a", encode)).isSameAs(a);
        cache.get("c", encode);
        assertThat(cache.get("a", encode)).isSameAs(a);
        cache.get("b", encode);
        assertThat(encoded).hasValue(4);
    }

    @Test
    void the_text_of_a_special_token_is_its_id() {
        assertThat(TOKENIZER.encode("<|im_end|>")).containsExactly(TOKENIZER.endOfTurn());
        assertThat(TOKENIZER.encode("<|image_pad|>")).containsExactly(TOKENIZER.imagePlaceholder());
        assertThat(TOKENIZER.isSpecial(TOKENIZER.endOfTurn())).isTrue();
    }

    @Test
    void half_a_character_is_a_replacement_and_an_unknown_id_is_nothing() {
        int[] ids = TOKENIZER.encode("日");
        assertThat(ids.length).isGreaterThan(1);
        assertThat(TOKENIZER.decode(Arrays.copyOf(ids, ids.length - 1))).isEqualTo("\ufffd");
        assertThat(TOKENIZER.decode(new int[] {1_000_000, -1})).isEmpty();
    }

    @Test
    void respelled_tokens_have_the_same_bytes_and_other_ids() {
        for (String text : TEXTS) {
            int[] canonical = TOKENIZER.encode(text);
            int[] respelled = TOKENIZER.respell(canonical, 1, new SplittableRandom(3));
            assertThat(respelled).isNotEqualTo(canonical);
            assertThat(TOKENIZER.decode(respelled)).isEqualTo(text);
            assertThat(TOKENIZER.encode(TOKENIZER.decode(respelled))).isEqualTo(canonical);
        }
    }

    @Test
    void respelling_never_cuts_a_special_token_and_does_nothing_at_0() {
        int[] ids = TOKENIZER.encode("<|im_start|>user\nHello<|im_end|>");
        assertThat(TOKENIZER.respell(ids, 1, new SplittableRandom(1))).contains(TOKENIZER.endOfTurn());
        assertThat(TOKENIZER.respell(ids, 0, new SplittableRandom(1))).isEqualTo(ids);
    }

    @Test
    void the_committed_file_is_small() throws IOException {
        try (var in = SimTokenizer.class.getResourceAsStream("tokenizer.json")) {
            assertThat(in.readAllBytes().length).isLessThan(500_000);
        }
    }
}
