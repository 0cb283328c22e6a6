package dev.polar.capture;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.polar.spi.CallFacts;
import dev.polar.wire.Json;
import java.io.IOException;
import java.util.Map;

/**
 * A completion's entry, read.
 *
 * @param facts JSON of {@link CallFacts}
 * @param answer JSON, without ids and log-probabilities
 * @param metadata JSON, as the proxy gave it
 */
record EntryBody(
        EntryHead head,
        EntryTokens tokens,
        byte[] facts,
        RequestForm request,
        RequestForm original,
        byte[] answer,
        byte[] metadata) {
    static EntryBody of(CompletionEntry entry, EntryHead head, EntryTokens tokens, Contents contents) {
        return new EntryBody(
                head,
                tokens,
                RequestForm.json(Json.MAPPER.valueToTree(entry.facts())),
                RequestForm.of(entry.request(), contents),
                RequestForm.of(entry.originalRequest(), contents),
                RequestForm.json(entry.answer()),
                entry.metadata() == null ? new byte[] {'{', '}'} : RequestForm.json(entry.metadata()));
    }

    /** The entry's content; the values that are new in {@code contents} stand at its start. */
    byte[] content(Contents contents) {
        var out = new EntryWriter();
        contents.writeNew(out);
        head.write(out);
        tokens.write(out);
        out.bytes(facts);
        request.write(out);
        original.write(out);
        return out.bytes(answer).bytes(metadata).toByteArray();
    }

    /** Reads an entry whose new values are known. */
    static EntryBody read(byte[] content) {
        var in = new EntryReader(content, 0);
        Contents.skipNew(in);
        return read(in);
    }

    static EntryBody read(EntryReader in) {
        return new EntryBody(
                EntryHead.read(in),
                EntryTokens.read(in),
                in.bytes(),
                RequestForm.read(in),
                RequestForm.read(in),
                in.bytes(),
                in.bytes());
    }

    CallFacts callFacts() {
        return parse(facts, new TypeReference<>() {});
    }

    Map<String, Object> answerTree() {
        return parse(answer, new TypeReference<>() {});
    }

    Map<String, Object> metadataTree() {
        return parse(metadata, new TypeReference<>() {});
    }

    static <T> T parse(byte[] json, TypeReference<T> type) {
        try {
            return Json.MAPPER.readValue(json, type);
        } catch (IOException impossible) {
            throw new IllegalStateException("a record's entry holds JSON that cannot be read", impossible);
        }
    }
}
