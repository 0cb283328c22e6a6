package dev.polar.result;

import dev.polar.result.SessionTrace.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A trace told as turns: the messages before it, then each sampled answer with what was given back.
 *
 * @param prompt the first prompt's messages
 * @param turns one per span
 */
public record Turns(List<ChatMessage> prompt, List<Turn> turns) {
    /**
     * @param span where its ids are
     * @param answer what the model said
     * @param given the messages that follow it
     */
    public record Turn(Span span, ChatMessage answer, List<ChatMessage> given) {}

    /** Empty where not every assistant message behind the prompt is a sampled answer, so that they cannot be told apart. */
    public static Optional<Turns> of(SessionTrace trace) {
        var spans = trace.spans();
        var turns = new ArrayList<Turn>();
        for (var message : trace.trace().responseMessages()) {
            var read = ChatMessage.of(message);
            if (read.isAssistant()) {
                if (turns.size() == spans.size()) {
                    return Optional.empty();
                }
                turns.add(new Turn(spans.get(turns.size()), read, new ArrayList<>()));
            } else if (turns.isEmpty()) {
                return Optional.empty();
            } else {
                turns.getLast().given().add(read);
            }
        }
        if (turns.size() != spans.size()) {
            return Optional.empty();
        }
        var prompt =
                trace.trace().promptMessages().stream().map(ChatMessage::of).toList();
        return Optional.of(new Turns(prompt, turns));
    }
}
