package dev.polar.capture;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.wire.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A request as it is kept: its own keys in their order, with the elements of its lists (messages, tools) and its other large values by their number in {@link Contents}.
 *
 * @param fields the keys of an object; a body that is none is one field without a name
 */
record RequestForm(List<Field> fields) {
    /** Values that are shorter stand in the request itself. */
    private static final int LEAST_SHARED = 64;

    /** One key. */
    sealed interface Field {
        String name();
    }

    record Inline(String name, byte[] json) implements Field {}

    record Shared(String name, int value) implements Field {}

    /** @param older a list that was there before, of which this is a continuation by {@code more} */
    record Listed(String name, int older, int[] more) implements Field {
        int[] values(Contents contents) {
            var before = contents.values(older);
            var all = Arrays.copyOf(before, before.length + more.length);
            System.arraycopy(more, 0, all, before.length, more.length);
            return all;
        }
    }

    /** Takes a request apart; its new values are added to {@code contents}, in the form that {@code json} gives them. */
    static RequestForm of(JsonNode request, Contents contents, PicturedJson json) {
        var fields = new ArrayList<Field>();
        if (request == null || !request.isObject()) {
            fields.add(value("", request, contents, json));
        } else {
            request.properties().forEach(field -> fields.add(field(field.getKey(), field.getValue(), contents, json)));
        }
        return new RequestForm(fields);
    }

    private static Field field(String name, JsonNode value, Contents contents, PicturedJson json) {
        return value.isArray() && value.path(0).isContainerNode()
                ? list(name, value, contents, json)
                : value(name, value, contents, json);
    }

    private static Field value(String name, JsonNode value, Contents contents, PicturedJson json) {
        var kept = json.of(value);
        return kept.length < LEAST_SHARED && !PicturedJson.isCut(kept)
                ? new Inline(name, kept)
                : new Shared(name, contents.value(kept));
    }

    private static Listed list(String name, JsonNode elements, Contents contents, PicturedJson json) {
        int since = contents.lists();
        int list = Contents.EMPTY;
        for (var element : elements) {
            list = contents.append(list, contents.value(json.of(element)));
        }
        int older = contents.olderPart(list, since);
        var all = contents.values(list);
        return new Listed(name, older, Arrays.copyOfRange(all, contents.size(older), all.length));
    }

    static byte[] json(JsonNode value) {
        try {
            return Json.MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException impossible) {
            throw new IllegalArgumentException("a JSON tree that cannot be written", impossible);
        }
    }

    void write(EntryWriter out) {
        out.number(fields.size());
        for (var field : fields) {
            out.text(field.name());
            switch (field) {
                case Inline inline -> out.number(0).bytes(inline.json);
                case Shared shared -> out.number(1).number(shared.value);
                case Listed listed -> out.number(2).number(listed.older).ids(listed.more);
            }
        }
    }

    static RequestForm read(EntryReader in) {
        int count = in.integer();
        var fields = new ArrayList<Field>(count);
        for (int i = 0; i < count; i++) {
            var name = in.text();
            int form = in.integer();
            fields.add(
                    switch (form) {
                        case 0 -> new Inline(name, in.bytes());
                        case 1 -> new Shared(name, in.integer());
                        case 2 -> new Listed(name, in.integer(), in.ids());
                        default -> throw new IllegalArgumentException("request field form " + form);
                    });
        }
        return new RequestForm(fields);
    }

    /** Makes the lists again that were made when the request was taken apart. */
    void replay(Contents contents) {
        for (var field : fields) {
            if (field instanceof Listed listed) {
                int list = listed.older;
                for (int value : listed.more) {
                    list = contents.append(list, value);
                }
            }
        }
    }

    Optional<Listed> listed(String name) {
        return fields.stream()
                .filter(Listed.class::isInstance)
                .map(Listed.class::cast)
                .filter(listed -> listed.name.equals(name))
                .findFirst();
    }

    /** What a request is written out of. */
    interface Source {
        /** The values of a list. */
        int[] elements(Listed listed);

        /** A value's bytes, as they are kept. */
        byte[] value(int value);

        /** A picture's bytes. */
        byte[] picture(String digest);
    }

    /** Writes the request whole. */
    void expand(JsonGenerator out, Source source) throws IOException {
        boolean object = fields.size() != 1 || !fields.getFirst().name().isEmpty();
        if (object) {
            out.writeStartObject();
        }
        for (var field : fields) {
            if (object) {
                out.writeFieldName(field.name());
            }
            switch (field) {
                case Inline inline -> PicturedJson.write(inline.json, source::picture, out);
                case Shared shared -> PicturedJson.write(source.value(shared.value), source::picture, out);
                case Listed listed -> {
                    out.writeStartArray();
                    for (int value : source.elements(listed)) {
                        PicturedJson.write(source.value(value), source::picture, out);
                    }
                    out.writeEndArray();
                }
            }
        }
        if (object) {
            out.writeEndObject();
        }
    }
}
