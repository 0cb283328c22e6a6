package dev.polar.cli;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/** TCP ports of this machine. */
final class Ports {
    private static final int LOWEST = 15_000;
    /** Linux gives outgoing connections ports from 32768 on, unless it is told otherwise; others begin higher. */
    private static final int HIGHEST = 32_000;

    private static final int ATTEMPTS = 100;

    /** None is given twice, since nobody listens at it yet. */
    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    private Ports() {}

    /**
     * The port itself, after a look whether it can be had; a free one for 0.
     *
     * @param key what asks for it, for the message
     * @throws UserException where it is taken or the host is none of this machine's
     */
    static int claim(String key, String host, int port) {
        try {
            return port == 0 ? free(host) : bind(host, port);
        } catch (UnknownHostException unknown) {
            throw new UserException(key + ": the host '" + host + "' is not known on this machine", unknown);
        } catch (IOException taken) {
            throw new UserException(
                    key + ": " + host + ":" + port + " cannot be listened at (" + taken.getMessage()
                            + "): stop what uses it, or choose another port (0 takes a free one)",
                    taken);
        }
    }

    /**
     * A free port below those that the system gives to outgoing connections: between this look and the server's own try lie seconds, in which one of those could be taken by any client.
     */
    private static int free(String host) throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            var port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
            try {
                if (GIVEN.add(port)) {
                    return bind(host, port);
                }
            } catch (BindException taken) {
                // the next one, then
            }
        }
        return bind(host, 0);
    }

    private static int bind(String host, int port) throws IOException {
        try (var socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getByName(host), port));
            return socket.getLocalPort();
        }
    }
}
