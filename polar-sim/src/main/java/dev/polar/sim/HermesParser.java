package dev.polar.sim;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
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

    /** Calls that are no JSON make the whole text content, as both engines do with a whole answer. */
    static Parsed parse(String text, boolean reasoningParser, boolean toolParser) {
        String reasoning = null;
        String rest = text;
        if (reasoningParser && text.stripLeading().startsWith(OPEN_THINK)) {
            String inside = text.stripLeading().substring(OPEN_THINK.length());
            int end = inside.indexOf(CLOSE_THINK);
            reasoning = stripLines(end < 0 ? inside : inside.substring(0, end));
            rest = end < 0 ? "" : inside.substring(end + CLOSE_THINK.length()).replaceFirst("^\n+", "");
        }
        if (!toolParser || !rest.contains(OPEN_CALL)) {
            return new Parsed(reasoning, rest, List.of());
        }
        try {
            return new Parsed(reasoning, rest.substring(0, rest.indexOf(OPEN_CALL)), calls(rest));
        } catch (JsonProcessingException e) {
            return new Parsed(reasoning, rest, List.of());
        }
    }

    private static List<ParsedCall> calls(String text) throws JsonProcessingException {
        List<ParsedCall> calls = new ArrayList<>();
        Matcher matcher = CALL.matcher(text);
        while (matcher.find()) {
            JsonNode call = Json.MAPPER.readTree(matcher.group(1) != null ? matcher.group(1) : matcher.group(2));
            if (!call.path("name").isTextual()) {
                throw new CallWithoutName();
            }
            calls.add(new ParsedCall(
                    call.get("name").textValue(),
                    Json.spaced(call.path("arguments").isMissingNode() ? Json.object() : call.get("arguments"))));
        }
        return calls;
    }

    static String stripLines(String text) {
        return text.replaceFirst("^\n+", "").replaceFirst("\n+$", "");
    }

    /** A call that names no function is no call. */
    private static final class CallWithoutName extends JsonProcessingException {
        private CallWithoutName() {
            super("a call without a name");
        }
    }
}
