package dev.polar.sim;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Server-sent events, each written through at once. Not thread-safe. */
final class EventStream implements AutoCloseable {
    private static final byte[] DATA = "data: ".getBytes(StandardCharsets.UTF_8);
    private static final byte[] END = "\n\n".getBytes(StandardCharsets.UTF_8);

    private final OutputStream out;
    private final Spoiler spoiler;

    EventStream(OutputStream out, Spoiler spoiler) {
        this.out = out;
        this.spoiler = spoiler;
    }

    /** Sends {@code data} as the spoiler leaves it; nothing where it leaves nothing. */
    void send(ObjectNode data) throws IOException {
        if (spoiler.keeps(data)) {
            send(Json.write(spoiler.apply(data)));
        }
    }

    /** An event with a name. */
    void send(String event, ObjectNode data) throws IOException {
        out.write(("event: " + event + "\n").getBytes(StandardCharsets.UTF_8));
        send(data);
    }

    void done() throws IOException {
        send("[DONE]".getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() throws IOException {
        out.close();
    }

    private void send(byte[] data) throws IOException {
        byte[] event = new byte[DATA.length + data.length + END.length];
        System.arraycopy(DATA, 0, event, 0, DATA.length);
        System.arraycopy(data, 0, event, DATA.length, data.length);
        System.arraycopy(END, 0, event, DATA.length + data.length, END.length);
        out.write(event);
        out.flush();
    }
}
