package dev.polar.capture;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.polar.spi.CallFacts;
import dev.polar.wire.Json;
import java.io.IOException;
import java.util.Map;

/**
 * A completion's entry.
 *
 * @param delivered ordinals of completions that were delivered since the entry before
 * @param answer JSON, without ids and log-probabilities
 * @param metadata JSON, as the proxy gave it
 */
record EntryBody(
        int[] delivered,
        EntryHead head,
        EntryTokens tokens,
        FactsForm facts,
        RequestForm request,
        RequestForm original,
        byte[] answer,
        byte[] metadata) {
    static EntryBody of(
            int[] delivered,
            CompletionEntry entry,
            EntryHead head,
            EntryTokens tokens,
            Contents contents,
            PicturedJson json) {
        return new EntryBody(
                delivered,
                head,
                tokens,
                FactsForm.of(entry.facts(), contents),
                RequestForm.of(entry.request(), contents, json),
                RequestForm.of(entry.originalRequest(), contents, json),
                RequestForm.json(entry.answer()),
                entry.metadata() == null ? new byte[] {'{', '}'} : RequestForm.json(entry.metadata()));
    }

    /** The entry's content; the values that are new in {@code contents} stand at its start. */
    byte[] content(Contents contents) {
        var out = new EntryWriter();
        contents.writeNew(out);
        out.ids(delivered);
        head.write(out);
        tokens.write(out);
        facts.write(out);
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
                in.ids(),
                EntryHead.read(in),
                EntryTokens.read(in),
                FactsForm.read(in),
                RequestForm.read(in),
                RequestForm.read(in),
                in.bytes(),
                in.bytes());
    }

    /** Makes the lists again that were made when the entry was. */
    void replay(Contents contents) {
        request.replay(contents);
        original.replay(contents);
    }

    CallFacts callFacts(Contents contents, EntryCache cache) {
        return facts.facts(head.id(), head.sequence(), head.api(), value -> cache.bytes(contents.place(value)));
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
