package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.inference.Delta;
import dev.polar.inference.JsonTree;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A streamed GenerateContentResponse, out of a whole answer or of what is there of it: as events, or as one JSON array. Not thread-safe. */
final class GoogleStream implements AnswerStream {
    /** A comment would jam an agent's parser. Between the elements of an array it is white space. */
    private static final byte[] BLANK_LINE = {'\n'};

    private final GoogleEncoder encoder;
    private final boolean array;
    private boolean opened;
    private boolean written;

    /** @param array one JSON array in place of events */
    GoogleStream(GoogleEncoder encoder, boolean array) {
        this.encoder = encoder;
        this.array = array;
    }

    @Override
    public String contentType() {
        return array ? "application/json; charset=UTF-8" : "text/event-stream";
    }

    @Override
    public byte[] open() {
        opened = true;
        return array ? new byte[] {'[', '\n'} : BLANK_LINE;
    }

    @Override
    public byte[] keepAlive() {
        return BLANK_LINE;
    }

    @Override
    public byte[] probe() {
        return BLANK_LINE;
    }

    @Override
    public byte[] relay(List<Delta> deltas) {
        var chunks = new ArrayList<JsonNode>();
        for (var delta : deltas) {
            encoder.relay(delta).ifPresent(chunks::add);
        }
        return array ? elements(chunks) : events(chunks);
    }

    @Override
    public byte[] answer(Reply reply) {
        var chunks = new ArrayList<JsonNode>();
        if (encoder.relayed()) {
            chunks.add(encoder.rest(reply));
            return array ? end(elements(chunks)) : events(chunks);
        }
        var pieces = encoder.pieces(reply);
        for (var piece : pieces.subList(0, pieces.size() - 1)) {
            chunks.add(encoder.chunk(reply, piece));
        }
        chunks.add(encoder.last(reply, pieces.getLast()));
        return array ? end(elements(chunks)) : events(chunks);
    }

    private static byte[] events(List<JsonNode> chunks) {
        var frames = new Frames();
        for (var chunk : chunks) {
            frames.data(line(JsonTree.write(chunk)));
        }
        return frames.bytes();
    }

    /** What ends a line for a parser stands in no event: between the model's arguments it is white space, in a string it is escaped. */
    private static byte[] line(byte[] json) {
        var text = new String(json, StandardCharsets.UTF_8);
        return text.replace('\n', ' ')
                .replace('\r', ' ')
                .replace("\u2028", "\\u2028")
                .replace("\u2029", "\\u2029")
                .getBytes(StandardCharsets.UTF_8);
    }

    private byte[] elements(List<JsonNode> chunks) {
        var out = new ByteArrayOutputStream(1024);
        for (var chunk : chunks) {
            if (!opened) {
                out.write('[');
                opened = true;
            } else if (written) {
                out.writeBytes(new byte[] {',', '\n'});
            }
            written = true;
            out.writeBytes(JsonTree.write(chunk));
        }
        return out.toByteArray();
    }

    private static byte[] end(byte[] elements) {
        var whole = Arrays.copyOf(elements, elements.length + 1);
        whole[elements.length] = ']';
        return whole;
    }

    /** Of a stream of events, a bare object: agents do not look for an error in an event. Of an array, its last element. */
    @Override
    public byte[] error(Fault fault) {
        ObjectNode error = GoogleErrors.encode(fault);
        if (!array) {
            return JsonTree.write(error);
        }
        return end(elements(List.of(error)));
    }
}
