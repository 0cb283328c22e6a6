package dev.polar.capture;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.wire.Json;
import java.io.IOException;
import java.util.Map;
import java.util.Set;

/**
 * Writes completion records whole: the canonical answer with its ids and log-probabilities, the requests with all their messages.
 *
 * <p>The JSON is always valid: a log-probability that is no JSON number (NaN, an infinity, or null in the engine's text) is null. All others are the doubles that the engine's text says.
 */
final class CompletionExpander {
    /** Keys of the engine's answer that stand in its choice. */
    private static final Set<String> CHOICE_KEYS = Set.of("message", "stop_reason", "matched_stop");

    private final JsonGenerator out;
    private final RequestForm.Source source;

    CompletionExpander(JsonGenerator out, RequestForm.Source source) {
        this.out = out;
        this.source = source;
    }

    /**
     * One record.
     *
     * @param promptIds null where the engine gave none
     */
    void write(StoredCompletion completion, EntryBody body, int[] promptIds, Map<String, Object> metadata)
            throws IOException {
        out.writeStartObject();
        out.writeStringField("completion_id", completion.id);
        out.writeNumberField("timestamp", body.head().timestamp());
        out.writeFieldName("request");
        body.request().expand(out, source);
        out.writeFieldName("original_request");
        body.original().expand(out, source);
        out.writeFieldName("response");
        writeResponse(completion, body, promptIds);
        out.writeFieldName("metadata");
        Json.MAPPER.writeValue(out, metadata);
        out.writeEndObject();
    }

    private void writeResponse(StoredCompletion completion, EntryBody body, int[] promptIds) throws IOException {
        var answer = Json.MAPPER.readTree(body.answer());
        out.writeStartObject();
        writeKeys(answer, false);
        out.writeArrayFieldStart("choices");
        out.writeStartObject();
        out.writeNumberField("index", completion.choiceIndex);
        writeKeys(answer, true);
        out.writeStringField("finish_reason", completion.finishReason);
        writeIds("input_token_ids", promptIds);
        writeIds("token_ids", completion.sampled);
        out.writeFieldName("logprobs");
        writeLogprobs(completion, body.tokens().texts());
        out.writeEndObject();
        out.writeEndArray();
        out.writeEndObject();
    }

    private void writeKeys(JsonNode answer, boolean ofChoice) throws IOException {
        for (var field : answer.properties()) {
            if (CHOICE_KEYS.contains(field.getKey()) == ofChoice) {
                out.writeFieldName(field.getKey());
                out.writeTree(field.getValue());
            }
        }
    }

    private void writeIds(String name, int[] ids) throws IOException {
        out.writeFieldName(name);
        if (ids == null) {
            out.writeNull();
        } else {
            out.writeArray(ids, 0, ids.length);
        }
    }

    /** One element for each log-probability that the engine gave, so that a list of another length than the ids is seen. */
    private void writeLogprobs(StoredCompletion completion, String[] texts) throws IOException {
        if (completion.logprobs == null) {
            out.writeNull();
            return;
        }
        out.writeStartObject();
        out.writeArrayFieldStart("content");
        for (int i = 0; i < completion.logprobs.length; i++) {
            out.writeStartObject();
            out.writeStringField("token", texts != null && i < texts.length ? texts[i] : null);
            if (completion.sampled != null && i < completion.sampled.length) {
                out.writeNumberField("token_id", completion.sampled[i]);
            } else {
                out.writeNullField("token_id");
            }
            out.writeFieldName("logprob");
            if (Double.isFinite(completion.logprobs[i])) {
                out.writeNumber(completion.logprobs[i]);
            } else {
                out.writeNull();
            }
            out.writeEndObject();
        }
        out.writeEndArray();
        out.writeEndObject();
    }
}
