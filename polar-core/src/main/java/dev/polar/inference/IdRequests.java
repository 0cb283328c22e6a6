package dev.polar.inference;

import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.filter.FilteringParserDelegate;
import com.fasterxml.jackson.core.filter.JsonPointerBasedFilter;
import com.fasterxml.jackson.core.filter.TokenFilter;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.polar.spi.EngineProfile.IdInput;
import dev.polar.wire.Json;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** The two requests of an engine that takes ids, made as it declares them. Ids are written and read as text: they never become a tree. Thread-safe. */
final class IdRequests {
    private static final String ARGUMENTS = "chat_template_kwargs";

    private final IdInput declared;
    private final ObjectNode added;

    IdRequests(IdInput declared) {
        this.declared = declared;
        this.added = Json.MAPPER.valueToTree(declared.renderAdd());
    }

    /** The request that has a chat request's prompt rendered. */
    byte[] rendering(ObjectNode request) {
        var body = JsonNodeFactory.instance.objectNode();
        request.properties().forEach(member -> {
            if (declared.renderKeys().contains(member.getKey())) {
                body.set(member.getKey(), member.getValue());
            }
        });
        added.properties().forEach(member -> body.putIfAbsent(member.getKey(), member.getValue()));
        for (var key : declared.renderArguments()) {
            var value = request.get(key);
            if (value != null && !value.isNull()) {
                var arguments = child(body, ARGUMENTS);
                arguments.putIfAbsent(key, value);
                body.set(ARGUMENTS, arguments);
            }
        }
        return JsonTree.write(body);
    }

    /** A copy of what stands there, to be changed; an empty object where nothing does. */
    private static ObjectNode child(ObjectNode parent, String key) {
        var copy = JsonNodeFactory.instance.objectNode();
        return parent.get(key) instanceof ObjectNode there ? copy.setAll(there) : copy;
    }

    /** A chat request that is to be answered from {@code ids}; {@code request} is not changed. */
    static byte[] generation(ObjectNode request, String pointer, int[] ids) {
        ObjectNode body = JsonNodeFactory.instance.objectNode().setAll(request);
        var steps = pointer.substring(1).split("/");
        var at = body;
        for (int i = 0; i < steps.length - 1; i++) {
            var next = child(at, steps[i]);
            at.set(steps[i], next);
            at = next;
        }
        at.putRawValue(steps[steps.length - 1], new RawValue(text(ids)));
        return JsonTree.write(body);
    }

    private static String text(int[] ids) {
        var text = new StringBuilder(ids.length * 7 + 2).append('[');
        for (int i = 0; i < ids.length; i++) {
            text.append(i == 0 ? "" : ",").append(ids[i]);
        }
        return text.append(']').toString();
    }

    /**
     * The ids in the answer to {@link #rendering}.
     *
     * @throws IOException where there are none, or the connection broke
     */
    int[] rendered(InputStream in) throws IOException {
        var filter = new JsonPointerBasedFilter(declared.renderedIds());
        try (var parser = new FilteringParserDelegate(
                JsonTree.LENIENT.createParser(in), filter, TokenFilter.Inclusion.ONLY_INCLUDE_ALL, false)) {
            if (parser.nextToken() != JsonToken.START_ARRAY) {
                throw new IOException("there is no list at " + declared.renderedIds());
            }
            var ids = new int[1024];
            int size = 0;
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                ids = size == ids.length ? Arrays.copyOf(ids, 2 * size) : ids;
                ids[size++] = parser.getIntValue();
            }
            return Arrays.copyOf(ids, size);
        }
    }
}
