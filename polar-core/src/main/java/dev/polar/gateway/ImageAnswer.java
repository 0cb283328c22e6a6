package dev.polar.gateway;

import dev.polar.capture.StoredImage;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.Arrays;
import java.util.regex.Pattern;

/** Answers with a picture. Whoever made it may be hostile: no browser is to run what is in it. */
final class ImageAnswer {
    private static final Pattern IMAGE_TYPE = Pattern.compile("image/[A-Za-z0-9][A-Za-z0-9.+-]{0,63}");

    private ImageAnswer() {}

    /** @param held the caller's {@code If-None-Match} (RFC 9110, section 13.1.2), or null */
    static Response of(StoredImage image, String held) {
        var tag = '"' + image.digest() + '"';
        var answer = holds(held, tag)
                ? Response.notModified()
                : Response.ok(image.bytes()).type(type(image.mediaType()));
        return answer.header(HttpHeaders.ETAG, tag)
                .header(HttpHeaders.CACHE_CONTROL, "private, max-age=31536000, immutable")
                .header("X-Content-Type-Options", "nosniff")
                .header("Content-Security-Policy", "default-src 'none'; sandbox")
                .build();
    }

    private static boolean holds(String held, String tag) {
        return held != null
                && Arrays.stream(held.split(","))
                        .map(String::strip)
                        .anyMatch(one -> one.equals("*") || one.equals(tag) || one.equals("W/" + tag));
    }

    /** What the agent stated, where that is the type of a picture. */
    private static String type(String stated) {
        return stated != null && IMAGE_TYPE.matcher(stated).matches() ? stated : MediaType.APPLICATION_OCTET_STREAM;
    }
}
