package dev.polar.trace;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import dev.polar.result.ResultException;
import dev.polar.wire.Json;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What is taken out of a session's completion records: texts of tokens that were sampled, and some prompts. */
public final class RecordedTexts implements TokenTexts {
    private static final ObjectReader ANSWER =
            Json.MAPPER.readerFor(JsonNode.class).without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private final Map<Integer, String> texts = new HashMap<>();
    private final Map<String, int[]> prompts = new HashMap<>();

    /**
     * Reads the answer of {@code GET /sessions/{id}/completions}, one completion at a time.
     *
     * @param in is closed
     * @param wanted completions whose prompts are kept
     * @throws ResultException where it is no such answer
     */
    public static RecordedTexts read(InputStream in, Set<String> wanted) throws IOException {
        var record = new RecordedTexts();
        try (var parser = Json.MAPPER.getFactory().createParser(in)) {
            while (parser.nextToken() != null) {
                if (parser.currentToken() == JsonToken.FIELD_NAME
                        && parser.currentName().equals("completions")) {
                    parser.nextToken();
                    record.completions(parser, wanted);
                }
            }
            return record;
        } catch (JacksonException broken) {
            throw new ResultException(
                    "the record of the session's completions is not JSON: " + broken.getOriginalMessage(), broken);
        }
    }

    private void completions(JsonParser parser, Set<String> wanted) throws IOException {
        while (parser.nextToken() == JsonToken.START_OBJECT) {
            var id = "";
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                var key = parser.currentName();
                parser.nextToken();
                switch (key) {
                    case "completion_id" -> id = parser.getValueAsString();
                    case "response" -> add(id, ANSWER.readValue(parser), wanted);
                    default -> parser.skipChildren();
                }
            }
        }
    }

    private void add(String id, JsonNode response, Set<String> wanted) {
        var choice = response.path("choices").path(0);
        for (var token : choice.path("logprobs").path("content")) {
            if (token.path("token").isTextual() && token.path("token_id").isInt()) {
                texts.put(token.get("token_id").intValue(), token.get("token").textValue());
            }
        }
        if (wanted.contains(id) && choice.path("input_token_ids").isArray()) {
            prompts.put(id, Json.MAPPER.convertValue(choice.get("input_token_ids"), int[].class));
        }
    }

    public Map<String, int[]> prompts() {
        return prompts;
    }

    /** Of each id the text it had when it was sampled, or the id in brackets; empty where all are unknown. */
    @Override
    public Optional<String> text(int[] ids) {
        var text = new StringBuilder();
        boolean known = ids.length == 0;
        for (int id : ids) {
            var said = texts.get(id);
            known |= said != null;
            text.append(said == null ? "<" + id + ">" : said);
        }
        return known ? Optional.of(text.toString()) : Optional.empty();
    }
}
