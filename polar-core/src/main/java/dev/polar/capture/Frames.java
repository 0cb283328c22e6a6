package dev.polar.capture;

import com.github.luben.zstd.Zstd;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The bytes of a record's file.
 *
 * <pre>
 * file  = "POLARREC" version:u32 frame*
 * frame = length:u32 check(length):u32 check(body):u32 body        check is CRC-32C (RFC 3720, appendix B.4); all little-endian
 * body  = kind:u8 packing:u8 content                               packing 0: as it is, 1: one zstd frame
 * </pre>
 *
 * <p>The length has a check of its own, so that a flipped bit in it is told from a file that was cut short.
 */
final class Frames {
    static final byte[] MAGIC = "POLARREC".getBytes(StandardCharsets.US_ASCII);
    static final int VERSION = 2;
    static final int FILE_HEADER = MAGIC.length + Integer.BYTES;
    static final int FRAME_HEADER = 3 * Integer.BYTES;

    private static final int BODY_HEADER = 2;
    private static final int PLAIN = 0;
    private static final int ZSTD = 1;
    /** Below this a zstd frame's own header outweighs it. */
    private static final int LEAST_COMPRESSED = 64;

    private Frames() {}

    static byte[] fileHeader() {
        return ByteBuffer.allocate(FILE_HEADER)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(MAGIC)
                .putInt(VERSION)
                .array();
    }

    static boolean isFileHeader(byte[] header) {
        return Arrays.equals(header, fileHeader());
    }

    /** A body: the kind, then the content, compressed where that is worth it. */
    static byte[] pack(EntryKind kind, byte[] content) {
        boolean compress = content.length >= LEAST_COMPRESSED;
        var kept = compress ? Compressors.compress(content) : content;
        var body = new byte[BODY_HEADER + kept.length];
        body[0] = (byte) kind.code();
        body[1] = (byte) (compress ? ZSTD : PLAIN);
        System.arraycopy(kept, 0, body, BODY_HEADER, kept.length);
        return body;
    }

    static EntryKind kind(byte[] body) {
        return EntryKind.of(body[0]);
    }

    static byte[] content(byte[] body) {
        var kept = Arrays.copyOfRange(body, BODY_HEADER, body.length);
        return body[1] == PLAIN ? kept : Zstd.decompress(kept);
    }

    /** A body with its length and checks before it. */
    static byte[] frame(byte[] body) {
        return ByteBuffer.allocate(FRAME_HEADER + body.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(body.length)
                .putInt(checkOfLength(body.length))
                .putInt(check(body))
                .put(body)
                .array();
    }

    static int check(byte[] body) {
        var crc = new CRC32C();
        crc.update(body);
        return (int) crc.getValue();
    }

    static int checkOfLength(int length) {
        var crc = new CRC32C();
        crc.update(ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(length)
                .flip());
        return (int) crc.getValue();
    }
}
