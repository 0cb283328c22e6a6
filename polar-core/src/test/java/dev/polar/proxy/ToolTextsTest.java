package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ToolTextsTest {
    private static final String OWN = "{ \"z\": 1,\n  \"a\": [1.0, \"x\"], \"e\": \"caf\\u00e9\" }";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"z\":1,\"a\":[1.0,\"x\"],\"e\":\"café\"}",
                "{\"z\":1,\"a\":[1,\"x\"],\"e\":\"café\"}",
                "{\"a\":[1.0,\"x\"],\"e\":\"café\",\"z\":1}"
            })
    void b18_a_call_that_comes_back_in_other_spacing_is_the_models_own_text(String sentBack) {
        var texts = new ToolTexts();
        texts.sampled("c1", "f", OWN);
        assertThat(texts.own("c1", "f", sentBack)).isEqualTo(OWN);
        assertThat(texts.own(null, "f", sentBack)).isEqualTo(OWN);
        assertThat(texts.own("renamed", "f", sentBack)).isEqualTo(OWN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"z\":2,\"a\":[1.0,\"x\"],\"e\":\"café\"}", "{\"z\":1}", "no json"})
    void b18_an_edited_call_goes_upstream_as_the_agent_sent_it(String edited) {
        var texts = new ToolTexts();
        texts.sampled("c1", "f", OWN);
        assertThat(texts.own("c1", "f", edited)).isEqualTo(edited);
        assertThat(texts.own("c1", "g", "{}")).isEqualTo("{}");
    }

    @Test
    void b14_a_broken_call_that_was_shown_as_a_string_comes_back_as_the_model_wrote_it() {
        var texts = new ToolTexts();
        texts.sampled("c1", "f", "{\"city\": Paris}");
        assertThat(texts.own("c1", "f", "\"{\\\"city\\\": Paris}\"")).isEqualTo("{\"city\": Paris}");
        assertThat(texts.own("c1", "f", "{\"city\": Paris}")).isEqualTo("{\"city\": Paris}");
    }
}
