package dev.polar.evaluator.testonoutput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.polar.spi.InvalidValueException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TestOutputTest {
    @Test
    void g03_stray_bytes_bare_words_spaces_and_trailing_spaces_are_parsed() {
        var stray = new String(new byte[] {'x', (byte) 0xFF, '\n'}, StandardCharsets.UTF_8);
        var output = stray
                + "PASSED\n"
                + "PASSED \n"
                + "PASSED test with spaces in it\n"
                + "PASSED jest suite > adds \n"
                + "FAILED tests/a.py::test_b - AssertionError: assert 1 == 2\r\n"
                + "ERROR tests/c.py::Suite::test_d\n"
                + "SKIPPED tests/e.py::test_f[x - y]\n"
                + "\u001B[32mPASSED\u001B[0m \u001B[1mtests/g.py::test_h\u001B[0m\n"
                + "PASSEDnot a result\n"
                + "  PASSED indented\n"
                + "1 PASSED of 2\n"
                + "PASSED cut " + stray;

        assertThat(TestOutput.parse(output))
                .containsOnly(
                        Map.entry("test with spaces in it", "PASSED"),
                        Map.entry("jest suite > adds", "PASSED"),
                        Map.entry("test_b", "FAILED"),
                        Map.entry("Suite.test_d", "ERROR"),
                        Map.entry("test_f[x", "SKIPPED"),
                        Map.entry("test_h", "PASSED"),
                        Map.entry("cut x\uFFFD", "PASSED"));
    }

    @Test
    void both_streams_count_and_the_last_word_on_a_test_holds() {
        assertThat(TestOutput.parse("PASSED a\nFAILED b\n", "ERROR a\n"))
                .isEqualTo(Map.of("a", "ERROR", "b", "FAILED"));
    }

    @ParameterizedTest
    @CsvSource({"a, a", "a::b, b", "a::b::c, b.c", "a::b::c::d, b.c.d", "a::b - why, b"})
    void names_lose_their_file_and_their_reason(String printed, String name) {
        assertThat(TestOutput.name(printed)).isEqualTo(name);
    }

    @Test
    void expectations_are_an_object_or_json_text_of_one_and_their_names_are_made_alike() {
        var asText = config("{\"t.py::T::a\": \"PASSED\", \"\\u001b[1mt.py::b\\u001b[0m\": \"FAILED\"}");
        var asObject = config(Map.of("T.a", "PASSED", "b", "FAILED"));

        assertThat(asText.expected()).isEqualTo(asObject.expected()).isEqualTo(Map.of("T.a", "PASSED", "b", "FAILED"));
    }

    @Test
    void expectations_that_are_none_are_refused_by_name() {
        assertThatThrownBy(() -> config("not json"))
                .isInstanceOf(InvalidValueException.class)
                .hasMessageContaining("not JSON");
        assertThatThrownBy(() -> config(Map.of())).hasMessageContaining("expected_output_json: must be an object");
        assertThatThrownBy(() -> config(Map.of("a", "passed")))
                .hasMessage("expected_output_json.a: passed is none of PASSED, FAILED, ERROR, SKIPPED");
    }

    @ParameterizedTest
    @CsvSource({
        "__pycache__, a/__pycache__/b.txt, true",
        "__pycache__, __pycache__, true",
        "__pycache__, a/my__pycache__, false",
        "*.pyc, a/b.pyc, true",
        "*.pyc, a/b.py, false",
        "docs/*.md, x/docs/a.md, true",
        "docs/*.md, docs/a/b.md, false",
        "docs/**, docs/a/b.md, true",
        "**/gen/*.c, gen/a.c, true",
        "/top, top/a, true",
        "/top, a/top, false",
        "build/, build/x, true",
        "a?c, abc, true",
        "[!a]b, ab, false",
        "[a-c]b, bb, true",
        "a[b, a[b, true"
    })
    void globs_match_names_at_any_depth(String glob, String path, boolean matches) {
        assertThat(Glob.of(glob).matches(path)).isEqualTo(matches);
    }

    @Test
    void a_patch_is_taken_apart_by_file_and_put_together_unchanged() {
        var text = "Submodule x:\n"
                + "diff --git a/a b.txt b/a b.txt\nindex 1..2 100644\n--- a/a b.txt\n+++ b/a b.txt\n@@ -1 +1 @@\n-x\n+diff --gut\n"
                + "diff --git \"a/n\\303\\251.pyc\" \"b/n\\303\\251.pyc\"\nnew file mode 100644\nindex 0..1\n"
                + "diff --git a/old b/build/new\nsimilarity index 100%\nrename from old\nrename to build/new\n"
                + "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n\\ No newline at end of file";
        var bytes = (text + "\u00FF").getBytes(StandardCharsets.ISO_8859_1);
        var patch = Patch.of(bytes);

        assertThat(patch.bytes()).isEqualTo(bytes);
        assertThat(patch.parts().stream().skip(1).map(Patch::path))
                .containsExactly("a b.txt", "né.pyc", "build/new", "f");
        var filtered = new String(patch.without(globs("*.pyc", "build")).bytes(), StandardCharsets.ISO_8859_1);
        assertThat(filtered).contains("a b.txt", "new mode 100755").doesNotContain("303", "build/new");
        assertThat(Patch.of(new byte[0]).isEmpty()).isTrue();
        assertThat(patch.isEmpty()).isFalse();
    }

    private static List<Glob> globs(String... globs) {
        return Arrays.stream(globs).map(Glob::of).toList();
    }

    private static TestOnOutputConfig config(Object expected) {
        return new TestOnOutputConfig("true", expected, null, null, null, null, null);
    }
}
