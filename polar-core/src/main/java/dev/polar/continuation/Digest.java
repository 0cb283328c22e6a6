package dev.polar.continuation;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The first half of a SHA-256: enough to tell a session's messages apart. */
record Digest(long high, long low) {
    /** Takes up values one after the other. Each says its kind and its length, so that no two sequences have the same bytes. Not thread-safe. */
    static final class Sink {
        private final MessageDigest digest = sha256();

        private static MessageDigest sha256() {
            try {
                return MessageDigest.getInstance("SHA-256");
            } catch (NoSuchAlgorithmException impossible) {
                throw new IllegalStateException("every Java platform has SHA-256", impossible);
            }
        }

        Sink text(String text) {
            return bytes('t', text.getBytes(StandardCharsets.UTF_8));
        }

        private Sink bytes(char kind, byte[] bytes) {
            head(kind, bytes.length);
            digest.update(bytes);
            return this;
        }

        private void head(char kind, int size) {
            digest.update(ByteBuffer.allocate(5).put((byte) kind).putInt(size).array());
        }

        Sink tree(Canonical tree) {
            switch (tree) {
                case Canonical.Members(var members) -> {
                    head('m', members.size());
                    members.keySet().stream()
                            .sorted()
                            .forEach(name -> text(name).tree(members.get(name)));
                }
                case Canonical.Elements(var elements) -> {
                    head('e', elements.size());
                    elements.forEach(this::tree);
                }
                case Canonical.Number(var value) -> bytes('n', value.toString().getBytes(StandardCharsets.US_ASCII));
                case Canonical.Text(var value) -> text(value);
                case Canonical.Word(var value) -> bytes('w', value.getBytes(StandardCharsets.US_ASCII));
            }
            return this;
        }

        /** Ends it. */
        Digest digest() {
            var bytes = ByteBuffer.wrap(digest.digest());
            return new Digest(bytes.getLong(), bytes.getLong());
        }
    }
}
