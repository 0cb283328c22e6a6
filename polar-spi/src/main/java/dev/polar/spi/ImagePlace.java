package dev.polar.spi;

/**
 * Where a picture stands in a prompt.
 *
 * @param position index into the prompt ids of its first placeholder id
 * @param digest {@code sha256:} and the lower-case hexadecimal digest of its bytes
 * @param mediaType for example {@code image/png}
 */
public record ImagePlace(int position, String digest, String mediaType) {}
