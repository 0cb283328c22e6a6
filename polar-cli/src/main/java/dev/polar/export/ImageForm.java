package dev.polar.export;

import dev.polar.result.ChatMessage.Part;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;

/** How pictures stand in rows. */
public enum ImageForm {
    /** As data URLs, whole. */
    INLINE,
    /** As {@code sha256:} and the digest of their bytes, by which the gateway gives them out as long as it keeps the session. An address on the web stays what it is. */
    REFERENCE;

    @Override
    public String toString() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }

    /** What stands for a picture. */
    String address(Part.Image image) {
        return this == INLINE ? image.url() : digest(image);
    }

    /** {@code sha256:…} of a data URL's bytes; any other address as it is. */
    static String digest(Part.Image image) {
        int comma = image.url().indexOf(',');
        if (!image.url().startsWith("data:") || comma < 0) {
            return image.url();
        }
        try {
            var bytes = Base64.getMimeDecoder().decode(image.url().substring(comma + 1));
            return "sha256:"
                    + HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        } catch (IllegalArgumentException notBase64) {
            return image.url();
        }
    }
}
