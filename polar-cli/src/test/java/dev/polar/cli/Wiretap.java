package dev.polar.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * Stands between an agent and the gateway, passes on what they say and keeps a copy of it: for what no record tells, such as how a request was packed. Only the host that is asked for is changed to
 * the gateway's own, which serves no other. Thread-safe.
 */
final class Wiretap implements AutoCloseable {
    private static final Pattern HOST = Pattern.compile("(?i)(\\r\\nhost: )127\\.0\\.0\\.1:\\d+\\r\\n");

    private final URI gateway;
    private final ServerSocket door;
    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
    private final ByteArrayOutputStream answered = new ByteArrayOutputStream();

    Wiretap(URI gateway) throws IOException {
        this.gateway = gateway;
        this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::serve);
    }

    String url() {
        return "http://127.0.0.1:" + door.getLocalPort();
    }

    /** All that agents sent, in lower case; bodies that are no text are there as noise. */
    String sent() {
        return text(sent);
    }

    /** All that they were answered. */
    String answered() {
        return text(answered);
    }

    private static String text(ByteArrayOutputStream bytes) {
        return bytes.toString(StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
    }

    private void serve() {
        while (!door.isClosed()) {
            try {
                var agent = door.accept();
                Thread.ofVirtual().start(() -> join(agent));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void join(Socket agent) {
        try (agent;
                var server = new Socket(gateway.getHost(), gateway.getPort())) {
            var there = Thread.ofVirtual().start(() -> pass(agent, server, sent, this::forGateway));
            pass(server, agent, answered, UnaryOperator.identity());
            there.join();
        } catch (IOException gone) {
            // the agent sees its connection close
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    /** A request's head comes in one piece. */
    private byte[] forGateway(byte[] bytes) {
        var host = HOST.matcher(new String(bytes, StandardCharsets.ISO_8859_1));
        return host.replaceFirst("$1" + gateway.getAuthority() + "\r\n").getBytes(StandardCharsets.ISO_8859_1);
    }

    private static void pass(Socket from, Socket to, ByteArrayOutputStream copy, UnaryOperator<byte[]> change) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            var buffer = new byte[8192];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                copy.write(buffer, 0, read);
                out.write(change.apply(Arrays.copyOf(buffer, read)));
                out.flush();
            }
            to.shutdownOutput();
        } catch (IOException gone) {
            close(to);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException closedAnyway) {
            // nothing more to do
        }
    }

    @Override
    public void close() throws IOException {
        door.close();
    }
}
