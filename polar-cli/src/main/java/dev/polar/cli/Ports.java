package dev.polar.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;

/** TCP ports of this machine. */
final class Ports {
    private Ports() {}

    /**
     * The port itself, after a look whether it can be had; a free one for 0.
     *
     * @param key what asks for it, for the message
     * @throws UserException where it is taken or the host is none of this machine's
     */
    static int claim(String key, String host, int port) {
        try (var socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getByName(host), port));
            return socket.getLocalPort();
        } catch (UnknownHostException unknown) {
            throw new UserException(key + ": the host '" + host + "' is not known on this machine", unknown);
        } catch (IOException taken) {
            throw new UserException(
                    key + ": " + host + ":" + port + " cannot be listened at (" + taken.getMessage()
                            + "): stop what uses it, or choose another port (0 takes a free one)",
                    taken);
        }
    }
}
