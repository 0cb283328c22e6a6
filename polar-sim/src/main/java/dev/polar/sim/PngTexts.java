package dev.polar.sim;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/** What pictures say of themselves: the {@code tEXt} chunks of PNG files (W3C PNG, section 11.3.3.2). It is all that the simulator sees of a picture. */
final class PngTexts {
    private static final byte[] SIGNATURE = {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    private static final int TEXT = 0x74455874; // "tEXt"
    /** Length and type before a chunk's data, checksum behind it. */
    private static final int CHUNK_FRAME = 12;

    private PngTexts() {}

    /** The texts of the last message that shows pictures, one to a line: {@code keyword: text}. Pictures that are no PNG, or come as an address, say nothing. */
    static String ofLastShown(JsonNode messages) {
        for (int i = messages.size() - 1; i >= 0; i--) {
            List<String> urls = new ArrayList<>();
            for (JsonNode part : messages.get(i).path("content")) {
                JsonNode url = part.path("image_url").path("url");
                if (url.isTextual()) {
                    urls.add(url.textValue());
                }
            }
            if (!urls.isEmpty()) {
                StringBuilder texts = new StringBuilder();
                urls.forEach(url -> read(bytes(url), texts));
                return texts.toString();
            }
        }
        return "";
    }

    private static byte[] bytes(String url) {
        int comma = url.indexOf(',');
        if (!url.startsWith("data:") || comma < 0) {
            return new byte[0];
        }
        try {
            return Base64.getDecoder().decode(url.substring(comma + 1));
        } catch (IllegalArgumentException notBase64) {
            return new byte[0];
        }
    }

    /** A file that is cut short says what stands before its end. */
    private static void read(byte[] png, StringBuilder texts) {
        if (!Arrays.equals(SIGNATURE, Arrays.copyOf(png, SIGNATURE.length))) {
            return;
        }
        ByteBuffer in = ByteBuffer.wrap(png).position(SIGNATURE.length);
        while (in.remaining() >= CHUNK_FRAME) {
            int length = in.getInt();
            int type = in.getInt();
            if (length < 0 || length > in.remaining() - Integer.BYTES) {
                return;
            }
            if (type == TEXT) {
                String chunk = new String(png, in.position(), length, StandardCharsets.ISO_8859_1);
                texts.append(chunk.replaceFirst("\0", ": ")).append('\n');
            }
            in.position(in.position() + length + Integer.BYTES);
        }
    }
}
