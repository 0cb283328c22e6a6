package dev.polar.sim;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The public socket, in front of the JDK's HTTP server: passes bytes both ways and notices at once when a caller hangs up, which that server tells its handlers only
 * when they write. A caller that closes just its sending side counts as gone too, as with the real engines. Thread-safe.
 */
final class Doorway implements AutoCloseable {
    private static final int BUFFER = 16 * 1024;

    private final ServerSocket listener;
    private final InetSocketAddress server;
    private final Thread acceptor;
    private final Map<Integer, Passage> passages = new ConcurrentHashMap<>();

    /**
     * Listens on {@code address}.
     *
     * @param server where the HTTP server listens
     * @throws IOException when the address is taken or not this machine's
     */
    Doorway(InetSocketAddress address, InetSocketAddress server) throws IOException {
        this.server = server;
        listener = new ServerSocket();
        listener.setReuseAddress(true);
        try {
            listener.bind(address, 1024);
        } catch (IOException e) {
            listener.close();
            throw new IOException(
                    "cannot listen on " + address.getHostString() + ":" + address.getPort() + ": " + e.getMessage(), e);
        }
        acceptor = Thread.ofVirtual().name("sim-doorway").start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Forgets the callback. */
    interface Watch extends AutoCloseable {
        @Override
        void close();
    }

    /** Calls {@code callback} once when the caller behind {@code port} hangs up, at once if it has already. */
    Watch onGone(int port, Runnable callback) {
        Passage passage = passages.get(port);
        if (passage == null) {
            callback.run();
            return () -> {};
        }
        passage.callbacks.add(callback);
        if (passage.gone) {
            callback.run();
        }
        return () -> passage.callbacks.remove(callback);
    }

    /** Nobody can connect any more when this returns. */
    @Override
    public void close() {
        closeQuietly(listener);
        try {
            // The system goes on taking connections until the thread that waits for one has let go of the socket.
            acceptor.join();
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
        passages.values().forEach(Passage::close);
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket caller = listener.accept();
                Thread.ofVirtual().name("sim-caller").start(() -> admit(caller));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void admit(Socket caller) {
        Socket inner = new Socket();
        try {
            inner.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            caller.setTcpNoDelay(true);
            inner.setTcpNoDelay(true);
            Passage passage = new Passage(inner.getLocalPort(), caller, inner);
            passages.put(passage.port, passage);
            inner.connect(server);
            Thread.ofVirtual().name("sim-answers").start(() -> passage.pass(inner, caller));
            passage.pass(caller, inner);
            passage.hangUp();
        } catch (IOException e) {
            closeQuietly(caller);
            closeQuietly(inner);
            passages.values().removeIf(passage -> passage.inner == inner);
        }
    }

    private static void closeQuietly(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception e) {
            // It is being given up: nothing more can be done with it.
        }
    }

    private final class Passage {
        private final int port;
        private final Socket caller;
        private final Socket inner;
        private final Set<Runnable> callbacks = ConcurrentHashMap.newKeySet();
        private volatile boolean gone;

        private Passage(int port, Socket caller, Socket inner) {
            this.port = port;
            this.caller = caller;
            this.inner = inner;
        }

        /** Copies until either side ends, then closes both. */
        private void pass(Socket from, Socket to) {
            try {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                byte[] buffer = new byte[BUFFER];
                for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                    out.write(buffer, 0, read);
                }
            } catch (IOException e) {
                // One side has gone; the other is told by the close below.
            }
            close();
        }

        private void hangUp() {
            gone = true;
            callbacks.forEach(Runnable::run);
        }

        private void close() {
            closeQuietly(caller);
            closeQuietly(inner);
            passages.remove(port);
        }
    }
}
