package dev.polar.capture;

import dev.polar.spi.ApiType;
import dev.polar.spi.CallFacts;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.IntFunction;

/**
 * What a classifier may look at, as it is kept: its texts, which are mostly the same from call to call, by their number in {@link Contents}.
 *
 * @param system number of the system text's bytes
 * @param firstUser number of the first user text's bytes
 * @param lastUser number of the last user text's bytes
 */
record FactsForm(
        Map<String, String> headers,
        int system,
        int firstUser,
        int lastUser,
        List<String> tools,
        int messages,
        OptionalInt maxTokens,
        boolean streamed) {
    static FactsForm of(CallFacts facts, Contents contents) {
        return new FactsForm(
                facts.headers(),
                contents.value(facts.system().getBytes(StandardCharsets.UTF_8)),
                contents.value(facts.firstUser().getBytes(StandardCharsets.UTF_8)),
                contents.value(facts.lastUser().getBytes(StandardCharsets.UTF_8)),
                facts.tools(),
                facts.messages(),
                facts.maxTokens(),
                facts.streamed());
    }

    void write(EntryWriter out) {
        out.number(headers.size());
        headers.forEach((name, value) -> out.text(name).text(value));
        out.number(system).number(firstUser).number(lastUser).number(tools.size());
        tools.forEach(out::text);
        out.number(messages).bool(maxTokens.isPresent());
        maxTokens.ifPresent(out::number);
        out.bool(streamed);
    }

    static FactsForm read(EntryReader in) {
        var headers = new LinkedHashMap<String, String>();
        for (int left = in.integer(); left > 0; left--) {
            headers.put(in.text(), in.text());
        }
        int system = in.integer();
        int firstUser = in.integer();
        int lastUser = in.integer();
        int count = in.integer();
        var tools = new ArrayList<String>(count);
        for (int i = 0; i < count; i++) {
            tools.add(in.text());
        }
        int messages = in.integer();
        var maxTokens = in.bool() ? OptionalInt.of(in.integer()) : OptionalInt.empty();
        return new FactsForm(headers, system, firstUser, lastUser, tools, messages, maxTokens, in.bool());
    }

    /** The facts; {@code bytes} are a value's. */
    CallFacts facts(String completionId, long sequence, ApiType api, IntFunction<byte[]> bytes) {
        return new CallFacts(
                completionId,
                sequence,
                api,
                headers,
                new String(bytes.apply(system), StandardCharsets.UTF_8),
                new String(bytes.apply(firstUser), StandardCharsets.UTF_8),
                new String(bytes.apply(lastUser), StandardCharsets.UTF_8),
                tools,
                messages,
                maxTokens,
                streamed);
    }
}
