package dev.polar.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class ControlTokenTest {
    @Test
    void only_the_whole_token_is_accepted() {
        var token = new ControlToken(Optional.of(" secret\n"));
        assertThat(token.isSet()).isTrue();
        assertThat(token.accepts("secret")).isTrue();
        for (var wrong : new String[] {null, "", "secre", "secrets", "SECRET", " secret\n"}) {
            assertThat(token.accepts(wrong)).as("'%s'", wrong).isFalse();
        }
    }

    @Test
    void without_one_the_control_plane_is_open() {
        for (var none : new String[] {null, "", "  "}) {
            var token = new ControlToken(Optional.ofNullable(none));
            assertThat(token.isSet()).isFalse();
            assertThat(token.accepts(null)).isTrue();
            assertThat(token.value()).isEmpty();
        }
    }
}
