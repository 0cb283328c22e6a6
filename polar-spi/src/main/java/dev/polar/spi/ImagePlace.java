package dev.polar.spi;

/**
 * Where a picture stands in a prompt.
 *
 * @param position index into the prompt ids of its first placeholder id
 * @param digest {@code sha256:} and the lower-case hexadecimal SHA-256 of its bytes; of a picture that came as an address, which only the engine fetches, {@code url-sha256:} and that of the
 *     address
 * @param mediaType as the request states it, for example {@code image/png}; null where it states none
 */
public record ImagePlace(int position, String digest, String mediaType) {}
