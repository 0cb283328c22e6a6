package dev.polar.proxy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Packs reasoning into a text that agents carry from turn to turn without reading it, and opens what it packed itself. The same reasoning has the same text. Lives as long as its session.
 * Thread-safe.
 *
 * <p>Base64 of a mark, the first bytes of an HMAC-SHA-256 under a key of this object, and the deflated UTF-8.
 */
final class ReasoningSeal {
    private static final byte[] MARK = "polar1".getBytes(StandardCharsets.US_ASCII);
    private static final int MAC_BYTES = 12;
    private static final int HEAD = MARK.length + MAC_BYTES;
    private static final String HMAC = "HmacSHA256";

    private final SecretKeySpec key;

    ReasoningSeal() {
        var secret = new byte[32];
        new SecureRandom().nextBytes(secret);
        this.key = new SecretKeySpec(secret, HMAC);
    }

    /** Standard base64, since some agents decode and encode it again. */
    String seal(String reasoning) {
        var packed = deflated(reasoning.getBytes(StandardCharsets.UTF_8));
        var out = new ByteArrayOutputStream(HEAD + packed.length);
        out.writeBytes(MARK);
        out.write(mac(packed), 0, MAC_BYTES);
        out.writeBytes(packed);
        return Base64.getEncoder().encodeToString(out.toByteArray());
    }

    /** The reasoning; empty for a text that was not sealed here, whatever it is. */
    Optional<String> open(String sealed) {
        byte[] bytes;
        try {
            bytes = Base64.getDecoder().decode(sealed.replace('-', '+').replace('_', '/'));
        } catch (IllegalArgumentException foreign) {
            return Optional.empty();
        }
        if (bytes.length < HEAD || !Arrays.equals(bytes, 0, MARK.length, MARK, 0, MARK.length)) {
            return Optional.empty();
        }
        var packed = Arrays.copyOfRange(bytes, HEAD, bytes.length);
        var told = Arrays.copyOfRange(bytes, MARK.length, HEAD);
        return MessageDigest.isEqual(told, Arrays.copyOf(mac(packed), MAC_BYTES))
                ? Optional.of(inflated(packed))
                : Optional.empty();
    }

    private byte[] mac(byte[] bytes) {
        try {
            var mac = Mac.getInstance(HMAC);
            mac.init(key);
            return mac.doFinal(bytes);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java platform has " + HMAC, impossible);
        }
    }

    private static byte[] deflated(byte[] bytes) {
        var out = new ByteArrayOutputStream();
        try (var deflater = new DeflaterOutputStream(out)) {
            deflater.write(bytes);
        } catch (IOException impossible) {
            throw new IllegalStateException("memory could not be written", impossible);
        }
        return out.toByteArray();
    }

    private static String inflated(byte[] packed) {
        try (var inflater = new InflaterInputStream(new ByteArrayInputStream(packed))) {
            return new String(inflater.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException impossible) {
            throw new IllegalStateException("what was sealed here could not be opened", impossible);
        }
    }
}
