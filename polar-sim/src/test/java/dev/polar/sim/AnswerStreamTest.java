package dev.polar.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** However an answer is cut into pieces, it must be understood the same way. */
class AnswerStreamTest {
    private static final List<String> PARTS = List.of(
            "Some text. ",
            "a < b and <tool",
            "<tool_call>",
            "</tool_call>",
            "\n",
            "{\"name\": \"look\", \"arguments\": ",
            "{\"a\": \"} { \\\" </x>\", \"b\": [1, {}]}",
            "{\"a\": Paris}",
            "}",
            "7",
            "<think>",
            "</think>",
            "日本");

    /** What the reader of a stream puts together. */
    private record Seen(String reasoning, String content, List<String> names, List<String> arguments) {}

    private static Seen read(List<String> pieces, boolean tools) {
        AnswerStream stream = new AnswerStream(true, tools);
        StringBuilder reasoning = new StringBuilder();
        StringBuilder content = new StringBuilder();
        List<String> names = new ArrayList<>();
        List<StringBuilder> arguments = new ArrayList<>();
        for (int i = 0; i < pieces.size(); i++) {
            for (AnswerStream.Piece piece : stream.append(pieces.get(i), i == pieces.size() - 1)) {
                switch (piece) {
                    case AnswerStream.Piece.Reasoning(String text) -> reasoning.append(text);
                    case AnswerStream.Piece.Content(String text) -> content.append(text);
                    case AnswerStream.Piece.CallName(int index, String name) -> {
                        assertThat(index).isEqualTo(names.size());
                        names.add(name);
                        arguments.add(new StringBuilder());
                    }
                    case AnswerStream.Piece.CallArguments(int index, String text) ->
                        arguments.get(index).append(text);
                }
            }
        }
        return new Seen(
                reasoning.toString(),
                content.toString(),
                names,
                arguments.stream().map(StringBuilder::toString).toList());
    }

    @Test
    void cuts_anywhere_change_nothing() {
        SplittableRandom random = new SplittableRandom(8);
        for (int round = 0; round < 3000; round++) {
            StringBuilder text = new StringBuilder(random.nextInt(3) == 0 ? "<think>\n" : "");
            for (int left = random.nextInt(1, 9); left > 0; left--) {
                text.append(PARTS.get(random.nextInt(PARTS.size())));
            }
            List<String> pieces = new ArrayList<>();
            for (int at = 0; at < text.length(); ) {
                int end = Math.min(text.length(), at + random.nextInt(1, 6));
                pieces.add(text.substring(at, end));
                at = end;
            }
            boolean tools = random.nextInt(4) > 0;
            assertThat(read(pieces, tools)).as("%s", pieces).isEqualTo(read(List.of(text.toString()), tools));
        }
    }

    @Test
    void a_sound_answer_is_understood_as_the_whole_parser_does() {
        String text =
                "<think>\nHm.\n\nRight.\n</think>\n\nSure.\n<tool_call>\n{\"name\": \"look\", \"arguments\": {\"a\": \"}<tool_call>\", \"b\": 1}}\n</tool_call>\n<tool_call>\n{\"name\": \"go\", \"arguments\": {}}\n</tool_call>";
        HermesParser.Parsed whole = HermesParser.parse(text, true, true);
        Seen seen = read(List.of(text.split("")), true);
        assertThat(seen.reasoning()).isEqualTo(whole.reasoning()).isEqualTo("Hm.\n\nRight.");
        assertThat(seen.content()).isEqualTo(whole.content()).isEqualTo("Sure.\n");
        assertThat(seen.names())
                .isEqualTo(whole.calls().stream()
                        .map(HermesParser.ParsedCall::name)
                        .toList());
        assertThat(seen.arguments())
                .isEqualTo(whole.calls().stream()
                        .map(HermesParser.ParsedCall::arguments)
                        .toList());
    }
}
