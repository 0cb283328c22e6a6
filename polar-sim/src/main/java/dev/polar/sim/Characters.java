package dev.polar.sim;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Turns a line's bytes into characters as they become whole; bytes that can be no character give U+FFFD. Not thread-safe. */
final class Characters {
    private final CharsetDecoder decoder = StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    private byte[] pending = new byte[0];

    /** The characters that {@code more} completes; empty where it ends inside one. */
    String append(byte[] more) {
        ByteBuffer in = ByteBuffer.allocate(pending.length + more.length)
                .put(pending)
                .put(more)
                .flip();
        CharBuffer out = CharBuffer.allocate(in.remaining() + 1);
        decoder.reset().decode(in, out, false);
        pending = new byte[in.remaining()];
        in.get(pending);
        return out.flip().toString();
    }

    /** True where the bytes so far end inside a character. */
    boolean isInside() {
        return pending.length > 0;
    }
}
