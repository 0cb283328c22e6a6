package dev.polar.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class EscapesTest {
    @ParameterizedTest
    @NullSource
    @ValueSource(
            strings = {"", "/rollout/task/a", "/a%23b%5Cc", "/a%2Fb", "/%E2%82%AC", "/x%e2%82%acy%20", "status=%25zz"})
    void what_can_be_decoded_is_well_formed(String raw) {
        assertThat(Escapes.wellFormed(raw)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"%", "/a%", "/a%z", "/%zz", "/%ff%fe", "/%E2%82", "/%E2x%82%AC", "/%C0%AF", "/%ED%A0%80", "a=%4"
            })
    void what_cannot_is_not(String raw) {
        assertThat(Escapes.wellFormed(raw)).isFalse();
    }
}
