package dev.polar.sim;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Takes a whole answer's text apart: reasoning in {@code <think>} tags, calls as JSON in {@code <tool_call>} tags. */
final class HermesParser {
    static final String OPEN_CALL = "<tool_call>";
    static final String CLOSE_CALL = "</tool_call>";
    static final String OPEN_THINK = "<think>";
    static final String CLOSE_THINK = "</think>";

    private static final Pattern CALL = Pattern.compile("<tool_call>(.*?)</tool_call>|<tool_call>(.*)", Pattern.DOTALL);

    private HermesParser() {}

    /**
     * An answer in its parts.
     *
     * @param reasoning null where there is none
     * @param content what is neither reasoning nor a call; with calls, the text before the first
     */
    record Parsed(String reasoning, String content, List<ParsedCall> calls) {}

    /**
     * One call.
     *
     * @param arguments JSON text, written anew with a space after colons and commas
     */
    record ParsedCall(String name, String arguments) {}

    /** vLLM's way with a whole answer: one call that is no JSON makes all of the text content. */
    static Parsed parse(String text, boolean reasoningParser, boolean toolParser) {
        Parsed parsed = parseReasoning(text, reasoningParser);
        String rest = parsed.content();
        if (!toolParser || !rest.contains(OPEN_CALL)) {
            return parsed;
        }
        try {
            return new Parsed(parsed.reasoning(), rest.substring(0, rest.indexOf(OPEN_CALL)), calls(rest));
        } catch (JsonProcessingException e) {
            return parsed;
        }
    }

    /** Takes the thoughts off, and the line breaks around them; all else is content. An answer that never ends its thoughts has no content. */
    static Parsed parseReasoning(String text, boolean reasoningParser) {
        if (!reasoningParser || !text.stripLeading().startsWith(OPEN_THINK)) {
            return new Parsed(null, text, List.of());
        }
        String inside = text.stripLeading().substring(OPEN_THINK.length());
        int end = inside.indexOf(CLOSE_THINK);
        String content = end < 0 ? "" : stripLines(inside.substring(end + CLOSE_THINK.length()), true);
        return new Parsed(stripLines(end < 0 ? inside : inside.substring(0, end), false), content, List.of());
    }

    /** SGLang's way with a whole answer: calls that are closed, are JSON and name a {@code known} tool; others are left out. */
    static List<ParsedCall> soundCalls(String text, Predicate<String> known) {
        List<ParsedCall> calls = new ArrayList<>();
        Matcher matcher = CALL.matcher(text);
        while (matcher.find() && matcher.group(1) != null) {
            try {
                ParsedCall call = call(matcher.group(1));
                if (known.test(call.name())) {
                    calls.add(call);
                }
            } catch (JsonProcessingException e) {
                // The engine logs it and goes on with the next.
            }
        }
        return calls;
    }

    private static List<ParsedCall> calls(String text) throws JsonProcessingException {
        List<ParsedCall> calls = new ArrayList<>();
        Matcher matcher = CALL.matcher(text);
        while (matcher.find()) {
            calls.add(call(matcher.group(1) != null ? matcher.group(1) : matcher.group(2)));
        }
        return calls;
    }

    private static ParsedCall call(String json) throws JsonProcessingException {
        JsonNode call = Json.MAPPER.readTree(json);
        if (!call.path("name").isTextual()) {
            throw new CallWithoutName();
        }
        JsonNode arguments = call.has("arguments") ? call.get("arguments") : Json.object();
        return new ParsedCall(call.get("name").textValue(), Json.spaced(arguments));
    }

    private static String stripLines(String text, boolean leadingOnly) {
        String stripped = text.replaceFirst("^\n+", "");
        return leadingOnly ? stripped : stripped.replaceFirst("\n+$", "");
    }

    /** A call that names no function is no call. */
    private static final class CallWithoutName extends JsonProcessingException {
        private CallWithoutName() {
            super("a call without a name");
        }
    }
}
