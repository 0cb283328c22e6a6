package dev.polar.wire;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.polar.spi.AgentSpec;
import dev.polar.spi.RuntimeSpec;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class BinderTest {
    @Test
    void a_misspelt_harness_is_named_where_its_command_does_not_fit() {
        assertRefused(
                AgentSpec.class,
                "{\"harness\": \"shel\", \"custom_shell\": {\"command\": \"true\"}}",
                "custom_shell: goes with harness: shell, always and only; here it is 'shel'");
    }

    @Test
    void a_misspelt_backend_is_named_where_an_image_is_missing() {
        assertRefused(RuntimeSpec.class, "{\"backend\": \"locl\"}", "image: is required for the backend 'locl'");
    }

    private static void assertRefused(Class<?> type, String json, String message) {
        assertThatThrownBy(() -> bind(type, json))
                .isInstanceOf(BindingException.class)
                .hasMessage(message);
    }

    private static void bind(Class<?> type, String json) throws IOException {
        Binder.bind(Json.MAPPER.readTree(json), type, "");
    }
}
