package dev.polar.server;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** The percent-escapes of a path or query (RFC 3986 2.1). Stateless. */
final class Escapes {
    /** One escape after the other: a character can take several. */
    private static final Pattern RUN = Pattern.compile("(?:%[0-9A-Fa-f]{2})+");

    private Escapes() {}

    /**
     * True where each is one, and those in a row are UTF-8.
     *
     * @param raw as it was sent; null for none
     */
    static boolean wellFormed(String raw) {
        if (raw == null || raw.indexOf('%') < 0) {
            return true;
        }
        var runs = RUN.matcher(raw);
        while (runs.find()) {
            if (!isUtf8(runs.group())) {
                return false;
            }
        }
        return runs.replaceAll("").indexOf('%') < 0;
    }

    private static boolean isUtf8(String run) {
        try {
            StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(HexFormat.of().parseHex(run.replace("%", ""))));
            return true;
        } catch (CharacterCodingException otherBytes) {
            return false;
        }
    }
}
