package dev.polar.server;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** Without a control token, whoever reaches the control plane runs commands: it then stays on loopback unless the operator has said otherwise. */
final class HostsRule {
    private HostsRule() {}

    /**
     * @param key what set the host, for the message
     * @throws StartException with the remedies, for a host beyond loopback that nothing guards
     */
    static void check(String key, String host, boolean tokenSet, boolean openAllowed) {
        if (!tokenSet && !openAllowed && !loopback(host)) {
            throw new StartException(
                    key + ": '" + host
                            + "' is reachable from other machines and no control token is set: set POLAR_CONTROL_PLANE_TOKEN, or allow_open_control_plane: true at the top of the topology file");
        }
    }

    static boolean loopback(String host) {
        if (host.equals("*")) {
            return false;
        }
        try {
            for (var address : InetAddress.getAllByName(host)) {
                if (!address.isLoopbackAddress()) {
                    return false;
                }
            }
            return true;
        } catch (UnknownHostException unknown) {
            return false;
        }
    }
}
