package dev.polar.capture;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.wire.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * How a call's JSON is kept without the pictures in it: where a text is, or ends with, the base64 form of one, that form is cut out, and the picture is named in its stead. So a picture is
 * kept once, as bytes, however often and in whichever dialect's form it is sent.
 *
 * <pre>
 * value = JSON text                                        nothing was cut out
 *       | 0:u8 count { offset digest }* JSON text          offsets of the cuts in the JSON text that is left
 * </pre>
 */
final class PicturedJson {
    private static final byte CUT = 0;
    /** In bytes: a multiple of three, so that its base64 form needs no filling. */
    private static final int SLICE = 3 << 14;
    /** No picture's base64 form is shorter. */
    private static final int SHORTEST = 32;

    private final Map<String, Picture> byPayload = new HashMap<>();

    private record Cut(int offset, String digest) {}

    /** @param pictures of the call */
    PicturedJson(Collection<Picture> pictures) {
        for (var picture : pictures) {
            if (picture.exact() && picture.payload().length() >= SHORTEST) {
                byPayload.put(picture.payload(), picture);
            }
        }
    }

    /** The form to keep. */
    byte[] of(JsonNode value) {
        if (byPayload.isEmpty()) {
            return RequestForm.json(value);
        }
        var bytes = new ByteArrayOutputStream();
        var cuts = new ArrayList<Cut>();
        try (var out = Json.MAPPER.getFactory().createGenerator(bytes)) {
            write(value, out, bytes, cuts);
        } catch (IOException impossible) {
            throw new IllegalArgumentException("a JSON tree that cannot be written", impossible);
        }
        return cuts.isEmpty() ? bytes.toByteArray() : marked(cuts, bytes.toByteArray());
    }

    private void write(JsonNode node, JsonGenerator out, ByteArrayOutputStream bytes, List<Cut> cuts)
            throws IOException {
        if (node.isObject()) {
            out.writeStartObject();
            for (var field : node.properties()) {
                out.writeFieldName(field.getKey());
                write(field.getValue(), out, bytes, cuts);
            }
            out.writeEndObject();
        } else if (node.isArray()) {
            out.writeStartArray();
            for (var element : node) {
                write(element, out, bytes, cuts);
            }
            out.writeEndArray();
        } else {
            leaf(node, out, bytes, cuts);
        }
    }

    private void leaf(JsonNode leaf, JsonGenerator out, ByteArrayOutputStream bytes, List<Cut> cuts)
            throws IOException {
        var text = leaf.isTextual() ? leaf.textValue() : "";
        int start = text.startsWith("data:") ? text.indexOf(',') + 1 : 0;
        var picture = text.length() - start < SHORTEST ? null : byPayload.get(text.substring(start));
        if (picture == null) {
            out.writeTree(leaf);
        } else {
            out.writeString(text.substring(0, start));
            out.flush();
            cuts.add(new Cut(bytes.size() - 1, picture.digest()));
        }
    }

    private static byte[] marked(List<Cut> cuts, byte[] json) {
        var out = new EntryWriter().number(CUT).number(cuts.size());
        cuts.forEach(cut -> out.number(cut.offset).text(cut.digest));
        return out.raw(json).toByteArray();
    }

    /** True where something was cut out, so that the bytes are no JSON. */
    static boolean isCut(byte[] kept) {
        return kept.length > 0 && kept[0] == CUT;
    }

    private static EntryReader cuts(byte[] kept, List<Cut> cuts) {
        var in = new EntryReader(kept, 1);
        for (int left = in.integer(); left > 0; left--) {
            cuts.add(new Cut(in.integer(), in.text()));
        }
        return in;
    }

    /** The JSON without its pictures: where one was, a text ends. */
    static byte[] without(byte[] kept) {
        return isCut(kept)
                ? Arrays.copyOfRange(kept, cuts(kept, new ArrayList<>()).position(), kept.length)
                : kept;
    }

    /** The JSON as it was sent. */
    static byte[] whole(byte[] kept, Function<String, byte[]> pictures) {
        if (!isCut(kept)) {
            return kept;
        }
        var cuts = new ArrayList<Cut>();
        int start = cuts(kept, cuts).position();
        var whole = new ByteArrayOutputStream();
        int from = 0;
        for (var cut : cuts) {
            whole.write(kept, start + from, cut.offset - from);
            whole.writeBytes(Base64.getEncoder().encode(pictures.apply(cut.digest)));
            from = cut.offset;
        }
        whole.write(kept, start + from, kept.length - start - from);
        return whole.toByteArray();
    }

    /** Writes the JSON as it was sent, as one value; a picture's base64 form is never whole in memory. */
    static void write(byte[] kept, Function<String, byte[]> pictures, JsonGenerator out) throws IOException {
        if (!isCut(kept)) {
            out.writeRawValue(new String(kept, StandardCharsets.UTF_8));
            return;
        }
        var cuts = new ArrayList<Cut>();
        int start = cuts(kept, cuts).position();
        out.writeRawValue("");
        int from = 0;
        for (var cut : cuts) {
            out.writeRaw(new String(kept, start + from, cut.offset - from, StandardCharsets.UTF_8));
            writePicture(pictures.apply(cut.digest), out);
            from = cut.offset;
        }
        out.writeRaw(new String(kept, start + from, kept.length - start - from, StandardCharsets.UTF_8));
    }

    private static void writePicture(byte[] bytes, JsonGenerator out) throws IOException {
        for (int from = 0; from < bytes.length; from += SLICE) {
            var slice = Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + SLICE));
            out.writeRaw(new String(Base64.getEncoder().encode(slice), StandardCharsets.ISO_8859_1));
        }
    }
}
