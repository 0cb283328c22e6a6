package dev.polar.capture;

/**
 * A picture of a session's record.
 *
 * @param digest {@code sha256:} and the lower-case hexadecimal SHA-256 of the bytes
 * @param mediaType as the first request that brought it stated it, or null
 * @param bytes not to be changed
 */
public record StoredImage(String digest, String mediaType, byte[] bytes) {
    static byte[] content(Picture picture) {
        return new EntryWriter()
                .text(picture.digest())
                .optional(picture.mediaType())
                .bytes(picture.bytes())
                .toByteArray();
    }

    static StoredImage read(byte[] content) {
        var in = new EntryReader(content, 0);
        return new StoredImage(in.text(), in.optional(), in.bytes());
    }
}
