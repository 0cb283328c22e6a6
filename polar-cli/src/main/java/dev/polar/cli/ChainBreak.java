package dev.polar.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.TreeSet;

/**
 * A place where an agent's main line did not go on from what it was answered.
 *
 * @param call number of the call, from 1, that starts a new trace
 * @param reason the trace's {@code break}
 * @param what the first difference to the call before it
 */
record ChainBreak(int call, String reason, String what) {
    private static final int AROUND = 40;

    /** All of a session: of each trace of the main agent but the first. */
    static List<ChainBreak> all(JsonNode result, List<JsonNode> records) {
        var places = new HashMap<String, Integer>();
        for (int i = 0; i < records.size(); i++) {
            places.put(records.get(i).path("completion_id").asText(), i);
        }
        var breaks = new ArrayList<ChainBreak>();
        boolean first = true;
        for (var trace : result.at("/trajectory/traces")) {
            var span = trace.at("/metadata/spans/0");
            if (!span.path("role").asText("main").equals("main")) {
                continue;
            }
            var place = places.get(span.path("completion_id").asText());
            if (!first && place != null) {
                breaks.add(new ChainBreak(place + 1, span.path("break").asText(), difference(records, place)));
            }
            first = false;
        }
        return breaks;
    }

    private static String difference(List<JsonNode> records, int place) {
        var later = records.get(place);
        for (int i = place - 1; i >= 0; i--) {
            var earlier = records.get(i);
            if (earlier.at("/metadata/role").equals(later.at("/metadata/role"))
                    && earlier.at("/metadata/agent").equals(later.at("/metadata/agent"))) {
                return difference(earlier, later, i + 1);
            }
        }
        return "there is no call before it";
    }

    private static String difference(JsonNode earlier, JsonNode later, int call) {
        var tools = tools(earlier, later);
        if (!tools.isEmpty()) {
            return "other tools than in call " + call + ": " + tools;
        }
        var before = earlier.at("/request/messages");
        var after = later.at("/request/messages");
        for (int i = 0; i < before.size(); i++) {
            if (!before.get(i).equals(after.path(i))) {
                return "message " + i + " (" + before.get(i).path("role").asText() + ") of call " + call
                        + " was changed: "
                        + around(before.get(i).toString(), after.path(i).toString());
            }
        }
        var answer = earlier.at("/response/choices/0/message");
        var returned = after.path(before.size());
        if (!returned.path("role").asText().equals("assistant")) {
            return "the answer to call " + call + " is not in it";
        }
        return "the answer to call " + call + " came back otherwise: "
                + around(
                        answer.path("content").toString() + answer.path("tool_calls"),
                        returned.path("content").toString() + returned.path("tool_calls"));
    }

    private static String tools(JsonNode earlier, JsonNode later) {
        var before = names(earlier);
        var after = names(later);
        var added = new TreeSet<>(after);
        added.removeAll(before);
        var gone = new TreeSet<>(before);
        gone.removeAll(after);
        return (added.isEmpty() ? "" : "with " + String.join(", ", added) + " ")
                + (gone.isEmpty() ? "" : "without " + String.join(", ", gone));
    }

    private static TreeSet<String> names(JsonNode record) {
        var names = new TreeSet<String>();
        record.at("/request/tools")
                .forEach(tool -> names.add(tool.at("/function/name").asText()));
        return names;
    }

    /** Both texts where they begin to differ. */
    static String around(String before, String after) {
        int at = 0;
        while (at < Math.min(before.length(), after.length()) && before.charAt(at) == after.charAt(at)) {
            at++;
        }
        return "'" + shown(before, at) + "' became '" + shown(after, at) + "'";
    }

    private static String shown(String text, int at) {
        int from = Math.max(0, at - AROUND);
        int to = Math.min(text.length(), at + AROUND);
        return (from > 0 ? "…" : "") + text.substring(from, to) + (to < text.length() ? "…" : "");
    }

    String line() {
        return "call " + call + " starts a new trace (" + reason + "): " + what;
    }
}
