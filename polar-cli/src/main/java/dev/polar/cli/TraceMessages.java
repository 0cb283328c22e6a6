package dev.polar.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** What a trace shows besides its tokens: messages, tools and pictures, as the calls had them. */
final class TraceMessages {
    private final String where;
    private final JsonNode trace;
    private final List<TraceTokens.Span> spans;
    private final List<String> problems;

    /** @param spans at least one */
    TraceMessages(String where, JsonNode trace, List<TraceTokens.Span> spans, List<String> problems) {
        this.where = where;
        this.trace = trace;
        this.spans = spans;
        this.problems = problems;
    }

    void run() {
        var first = spans.getFirst().call().json();
        var last = spans.getLast().call().json();
        same("prompt_messages", trace.path("prompt_messages"), first.at("/request/messages"));
        same("tools", trace.path("tools"), first.at("/request/tools"));
        same("finish_reason", trace.path("finish_reason"), last.at("/response/choices/0/finish_reason"));
        answers();
        described();
    }

    private void same(String key, JsonNode stated, JsonNode recorded) {
        if (!(isNothing(stated) && isNothing(recorded)) && !stated.equals(recorded)) {
            problems.add(where + ": its " + key + " is not what the record has");
        }
    }

    private static boolean isNothing(JsonNode value) {
        return value.isMissingNode() || value.isNull() || value.isArray() && value.isEmpty();
    }

    /** Each answer stands among the messages, in order, and the last of them is the last. */
    private void answers() {
        var messages = trace.path("response_messages");
        int next = 0;
        for (var span : spans) {
            var answer = span.call().json().at("/response/choices/0/message");
            while (next < messages.size() && !messages.get(next).equals(answer)) {
                next++;
            }
            next++;
        }
        if (next != messages.size()) {
            problems.add(where + ": its response_messages are not its answers in order, the last one at the end");
        }
    }

    private void described() {
        var stated = trace.at("/metadata/completion_metadata").findValuesAsText("completion_id");
        var ids = spans.stream().map(span -> span.call().id()).toList();
        if (!stated.equals(ids)) {
            problems.add(where + ": completion_metadata is of " + stated + ", its spans are of " + ids);
        }
        pictures();
    }

    /** The trace names the pictures of its last prompt, as far as messages show them: those of a record that was made up may stand in none. */
    private void pictures() {
        var last = spans.getLast().call();
        var shown = new ArrayList<String>();
        trace.at("/metadata/images")
                .forEach(image -> shown.add(image.path("digest").asText()));
        var pictures = last.images().stream()
                .map(RecordedCall.Picture::digest)
                .limit(last.json()
                        .at("/request/messages")
                        .findValues("image_url")
                        .size())
                .toList();
        if (!shown.equals(pictures)) {
            problems.add(where + ": its images are " + shown + ", those of its last prompt " + pictures);
        }
    }
}
