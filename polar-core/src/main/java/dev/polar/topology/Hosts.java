package dev.polar.topology;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** Where a control plane may listen: without a token on loopback alone, unless the file says otherwise. */
final class Hosts {
    private static final String LOOPBACK = "127.0.0.1";
    private static final String ANY = "0.0.0.0";

    private final boolean token;
    private final boolean allowOpen;

    Hosts(boolean token, boolean allowOpen) {
        this.token = token;
        this.allowOpen = allowOpen;
    }

    /** The host of a rollout server or node. */
    String host(Section section) {
        var host = section.text("host", token ? ANY : LOOPBACK);
        if (host.isBlank() || host.chars().anyMatch(c -> Character.isWhitespace(c) || c == '/')) {
            throw section.refuse("host", "'" + host + "' is not a host name or address");
        }
        if (!token && !allowOpen && !loopback(host)) {
            throw section.refuse(
                    "host",
                    "'" + host + "' is open beyond this machine without a control token;"
                            + " set POLAR_CONTROL_PLANE_TOKEN, or allow_open_control_plane: true at the top of the file");
        }
        return host;
    }

    static boolean loopback(String host) {
        return host.equals("localhost")
                || host.matches("127(\\.\\d{1,3}){3}")
                || host.equals("::1")
                || host.equals("[::1]")
                || host.equals("0:0:0:0:0:0:0:1");
    }

    /** The URL under which others on this machine reach a host and port. */
    static String publicUrl(String host, int port) {
        var bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        var reachable = bare.equals(ANY) || bare.equals("::") ? LOOPBACK : bare;
        return "http://" + (reachable.indexOf(':') >= 0 ? "[" + reachable + "]" : reachable) + ":" + port;
    }

    /** Checks {@code host:port} or {@code [host]:port}. */
    static String hostAndPort(Section section, String key) {
        var text = section.text(key, null);
        if (text != null && !text.matches("(\\[[0-9a-fA-F:.]+]|[^\\s/:\\[\\]]+):\\d{1,5}")) {
            throw section.refuse(key, "'" + text + "' is not host:port, such as 127.0.0.1:8082");
        }
        if (text != null && Integer.parseInt(text.substring(text.lastIndexOf(':') + 1)) > 65535) {
            throw section.refuse(key, "'" + text + "' has a port beyond 65535");
        }
        return text;
    }

    static String machineName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException nameless) {
            return "localhost";
        }
    }
}
