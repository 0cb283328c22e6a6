package dev.polar.sim;

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * The simulator's byte-level BPE tokenizer: text to ids by Hugging Face's library, ids to bytes by its table. Thread-safe; one instance serves the process, since the
 * native library takes a third of a second to load.
 */
public final class SimTokenizer {
    private static final String RESOURCE = "tokenizer.json";
    private static final String START_OF_TURN = "<|im_start|>";
    private static final int REMEMBERED_IDS = 2_000_000;
    private static final Map<String, String> OPTIONS =
            Map.of("addSpecialTokens", "false", "truncation", "false", "padding", "false");

    /** Held, or its level would be forgotten: the library tells at INFO where it finds its native part. */
    private static final Logger LIBRARY_LOG = Logger.getLogger("ai.djl");

    private final HuggingFaceTokenizer library;
    private final SegmentCache segments = new SegmentCache(REMEMBERED_IDS);
    private final String[] strings;
    private final byte[][] bytes;
    private final boolean[] special;
    private final Map<String, Integer> ids;
    private final int endOfTurn;
    private final int imagePlaceholder;

    private SimTokenizer() {
        keepLibraryOffline();
        try (InputStream in = SimTokenizer.class.getResourceAsStream(RESOURCE)) {
            byte[] file = in.readAllBytes();
            library = HuggingFaceTokenizer.newInstance(new ByteArrayInputStream(file), OPTIONS);
            JsonNode tree = new ObjectMapper().readTree(file);
            ids = readIds(tree);
            strings = new String[ids.size()];
            bytes = new byte[ids.size()][];
            special = new boolean[ids.size()];
            readTable(tree);
        } catch (IOException e) {
            throw new UncheckedIOException("the tokenizer could not be read from " + RESOURCE, e);
        }
        endOfTurn = ids.get("<|im_end|>");
        imagePlaceholder = ids.get("<|image_pad|>");
    }

    /** The process's tokenizer; the first call loads it. */
    public static SimTokenizer shared() {
        return Holder.INSTANCE;
    }

    /**
     * The ids of {@code text} as the trained merges give them; the text of a special token becomes its id. No merge crosses a special token, so the messages of a
     * prompt are encoded one by one, and those of a conversation's earlier turns are remembered.
     */
    public int[] encode(String text) {
        IntStream.Builder out = IntStream.builder();
        for (int start = 0; start < text.length(); ) {
            int end = text.indexOf(START_OF_TURN, start + 1);
            end = end < 0 ? text.length() : end;
            for (int id : segments.get(text.substring(start, end), this::encodeSegment)) {
                out.add(id);
            }
            start = end;
        }
        return out.build().toArray();
    }

    private int[] encodeSegment(String text) {
        return Arrays.stream(library.encode(text, false, false).getIds())
                .mapToInt(Math::toIntExact)
                .toArray();
    }

    /** The bytes of all ids together as text: half characters become U+FFFD, unknown ids nothing. */
    public String decode(int[] tokens) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(tokens.length * 4);
        for (int id : tokens) {
            out.writeBytes(bytes(id));
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    /** The bytes that {@code id} stands for; empty for an id that is not in the vocabulary. The array is shared: do not change it. */
    public byte[] bytes(int id) {
        return contains(id) ? bytes[id] : new byte[0];
    }

    /** The vocabulary's own spelling of {@code id} (a space is {@code Ġ}); empty for an unknown id. */
    public String string(int id) {
        return contains(id) ? strings[id] : "";
    }

    public boolean contains(int id) {
        return id >= 0 && id < strings.length;
    }

    public boolean isSpecial(int id) {
        return contains(id) && special[id];
    }

    public int size() {
        return strings.length;
    }

    /** The id of {@code <|im_end|>}, which ends a turn. */
    public int endOfTurn() {
        return endOfTurn;
    }

    /** The id that stands for a piece of an image. */
    public int imagePlaceholder() {
        return imagePlaceholder;
    }

    /**
     * The same bytes in other tokens: each token that can be cut into two tokens of the vocabulary is cut with probability {@code chance}, so that encoding the text
     * again gives other ids wherever a cut was made.
     */
    public int[] respell(int[] tokens, double chance, RandomGenerator random) {
        if (chance <= 0) {
            return tokens;
        }
        int[] out = new int[tokens.length * 2];
        int size = 0;
        for (int id : tokens) {
            String spelled = string(id);
            int cut = isSpecial(id) || spelled.length() < 2 || random.nextDouble() >= chance ? 0 : cut(spelled, random);
            if (cut == 0) {
                out[size++] = id;
            } else {
                out[size++] = ids.get(spelled.substring(0, cut));
                out[size++] = ids.get(spelled.substring(cut));
            }
        }
        return Arrays.copyOf(out, size);
    }

    /** A place where both halves are tokens. Every single byte is one, but a half of several bytes may not be: 0 when no place will do. */
    private int cut(String spelled, RandomGenerator random) {
        int first = 1 + random.nextInt(spelled.length() - 1);
        for (int tried = 0; tried < spelled.length() - 1; tried++) {
            int place = 1 + (first - 1 + tried) % (spelled.length() - 1);
            if (ids.containsKey(spelled.substring(0, place)) && ids.containsKey(spelled.substring(place))) {
                return place;
            }
        }
        return 0;
    }

    /** The native library lies in its jar; without these it would look for a GPU build on the network and send usage data. */
    private static void keepLibraryOffline() {
        if (LIBRARY_LOG.getLevel() == null) {
            LIBRARY_LOG.setLevel(Level.WARNING);
        }
        for (var setting : Map.of("ai.djl.offline", "true", "OPT_OUT_TRACKING", "true", "RUST_FLAVOR", "cpu")
                .entrySet()) {
            if (System.getProperty(setting.getKey()) == null) {
                System.setProperty(setting.getKey(), setting.getValue());
            }
        }
    }

    private static Map<String, Integer> readIds(JsonNode tree) {
        Map<String, Integer> ids = new HashMap<>();
        for (var entry : tree.path("model").path("vocab").properties()) {
            ids.put(entry.getKey(), entry.getValue().intValue());
        }
        for (JsonNode added : tree.path("added_tokens")) {
            ids.put(added.path("content").textValue(), added.path("id").intValue());
        }
        return Map.copyOf(ids);
    }

    private void readTable(JsonNode tree) {
        for (JsonNode added : tree.path("added_tokens")) {
            special[added.path("id").intValue()] = true;
        }
        Map<Character, Byte> alphabet = byteAlphabet();
        ids.forEach((string, id) -> {
            strings[id] = string;
            bytes[id] = special[id] ? string.getBytes(StandardCharsets.UTF_8) : spelledBytes(string, alphabet);
        });
    }

    private static byte[] spelledBytes(String string, Map<Character, Byte> alphabet) {
        byte[] out = new byte[string.length()];
        for (int i = 0; i < out.length; i++) {
            out[i] = alphabet.get(string.charAt(i));
        }
        return out;
    }

    /** How byte-level BPE writes bytes as visible characters: printable ones as themselves, the others from U+0100 on, in order (GPT-2's table). */
    private static Map<Character, Byte> byteAlphabet() {
        Map<Character, Byte> alphabet = new HashMap<>();
        int next = 256;
        for (int value = 0; value < 256; value++) {
            boolean printable = (value >= '!' && value <= '~') || (value >= 0xa1 && value <= 0xac) || value >= 0xae;
            alphabet.put((char) (printable ? value : next++), (byte) value);
        }
        return alphabet;
    }

    private static final class Holder {
        private static final SimTokenizer INSTANCE = new SimTokenizer();
    }
}
