package dev.polar.capture;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * A picture of an engine's request. One that came as data is told by its bytes. Of one that came as an address nobody here has seen the bytes, since only the engine fetches it: it is told by
 * its address, and its digest says so.
 *
 * @param digest {@code sha256:} and the lower-case hexadecimal SHA-256 of the bytes; {@code url-sha256:} and that of the address
 * @param mediaType as the request states it, for example {@code image/png}; null where it states none
 * @param payload the text after the comma of a {@code data:} URL (RFC 2397); null for an address
 * @param bytes decoded; null for an address
 * @param exact true where the payload is the base64 text of the bytes, letter for letter
 */
public record Picture(String digest, String mediaType, String payload, byte[] bytes, boolean exact) {
    private static final String BASE64 = ";base64";

    /** The pictures of a request's messages, in their order. */
    public static List<Picture> in(JsonNode messages) {
        var pictures = new ArrayList<Picture>();
        for (var message : messages) {
            urls(message).forEach(url -> pictures.add(of(url)));
        }
        return pictures;
    }

    /** The addresses of the pictures in one message. */
    static List<String> urls(JsonNode message) {
        var urls = new ArrayList<String>();
        for (var part : message.path("content")) {
            var url = part.path("image_url").path("url");
            if (url.isTextual()) {
                urls.add(url.textValue());
            }
        }
        return urls;
    }

    static Picture of(String url) {
        return data(url)
                .orElseGet(() -> new Picture(
                        "url-sha256:" + sha256(url.getBytes(StandardCharsets.UTF_8)), null, null, null, false));
    }

    /** Empty where it is no {@code data:} URL, or one that cannot be decoded. */
    private static Optional<Picture> data(String url) {
        int comma = url.startsWith("data:") ? url.indexOf(',') : -1;
        if (comma < 0) {
            return Optional.empty();
        }
        var head = url.substring("data:".length(), comma);
        var type = head.contains(";") ? head.substring(0, head.indexOf(';')) : head;
        var payload = url.substring(comma + 1);
        try {
            var exact = head.endsWith(BASE64) ? exactly(payload) : null;
            var bytes = exact != null ? exact : head.endsWith(BASE64) ? loosely(payload) : unescaped(payload);
            return Optional.of(new Picture(
                    "sha256:" + sha256(bytes), type.isEmpty() ? null : type, payload, bytes, exact != null));
        } catch (IllegalArgumentException broken) {
            return Optional.empty();
        }
    }

    /** Null where encoding gives another text. */
    private static byte[] exactly(String payload) {
        if (payload.isEmpty() || payload.length() % 4 != 0) {
            return null;
        }
        try {
            var bytes = Base64.getDecoder().decode(payload);
            // Only the last letters can hold bits that the bytes do not.
            int last = (bytes.length - 1) / 3 * 3;
            var tail = Base64.getEncoder().encodeToString(java.util.Arrays.copyOfRange(bytes, last, bytes.length));
            return payload.endsWith(tail) ? bytes : null;
        } catch (IllegalArgumentException withOtherLetters) {
            return null;
        }
    }

    private static byte[] loosely(String payload) {
        return Base64.getMimeDecoder().decode(payload);
    }

    /** Percent escapes as bytes; everything else as it is. */
    private static byte[] unescaped(String payload) {
        var bytes = new ByteArrayOutputStream();
        var raw = payload.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < raw.length; i++) {
            if (raw[i] == '%' && i + 2 < raw.length) {
                bytes.write(HexFormat.fromHexDigits(payloadAt(raw, i + 1)));
                i += 2;
            } else {
                bytes.write(raw[i]);
            }
        }
        return bytes.toByteArray();
    }

    private static String payloadAt(byte[] raw, int from) {
        return new String(raw, from, 2, StandardCharsets.US_ASCII);
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("every Java platform has SHA-256", impossible);
        }
    }
}
