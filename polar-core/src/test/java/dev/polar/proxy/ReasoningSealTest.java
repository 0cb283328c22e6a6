package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReasoningSealTest {
    private static final String THOUGHT = "First \"look\",\n\tthen 🙂 \u2028 go.";

    private final ReasoningSeal seal = new ReasoningSeal();

    @Test
    void what_was_sealed_comes_out_byte_for_byte_and_the_seal_is_always_the_same() {
        assertThat(seal.open(seal.seal(THOUGHT))).contains(THOUGHT);
        assertThat(seal.seal(THOUGHT)).isEqualTo(seal.seal(THOUGHT));
    }

    @Test
    void both_alphabets_of_base64_are_opened() {
        var sealed = seal.seal(THOUGHT.repeat(50));
        var other = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(Base64.getDecoder().decode(sealed));
        assertThat(seal.open(other)).contains(THOUGHT.repeat(50));
    }

    @Test
    void another_sessions_seal_and_a_changed_one_are_foreign() {
        var sealed = seal.seal(THOUGHT);
        assertThat(new ReasoningSeal().open(sealed)).isEmpty();
        var bytes = Base64.getDecoder().decode(sealed);
        bytes[bytes.length - 1] ^= 1;
        assertThat(seal.open(Base64.getEncoder().encodeToString(bytes))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "skip_thought_signature_validator", "not base64!", "cG9sYXIx", "AAAA"})
    void what_was_never_sealed_is_foreign(String text) {
        assertThat(seal.open(text)).isEmpty();
    }
}
