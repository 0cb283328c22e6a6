package dev.polar.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/** Lays out the server that the integration tests run in, on free ports, before Arquillian looks for it. Does nothing in a run of unit tests. */
public final class ServerFolder implements LauncherSessionListener {
    private static final String FOLDER = "polar.it.folder";

    static int rolloutPort() {
        return Integer.getInteger("polar.it.rollout.port");
    }

    static int gatewayPort() {
        return Integer.getInteger("polar.it.gateway.port");
    }

    static int agentPort() {
        return Integer.getInteger("polar.it.agent.port");
    }

    static int adminPort() {
        return Integer.getInteger("polar.it.admin.port");
    }

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        var folder = System.getProperty(FOLDER);
        if (folder != null) {
            try {
                layOut(Path.of(folder));
            } catch (IOException refused) {
                throw new UncheckedIOException(refused);
            }
        }
    }

    private static void layOut(Path folder) throws IOException {
        takePorts("rollout", "gateway", "agent", "admin");
        // A folder of its own for each run: what an earlier one left would be taken for a server that runs.
        var run = Files.createTempDirectory(Files.createDirectories(folder), "run-");
        System.setProperty("polar.it.usr", run.resolve("usr").toString());
        // Arquillian takes any server of this name on the machine for its own.
        var name = "polar-it-" + ProcessHandle.current().pid();
        System.setProperty("polar.it.server", name);
        var server = Files.createDirectories(run.resolve("usr/servers").resolve(name));
        var shipped = Files.readString(Path.of(System.getProperty("polar.root"), "server.xml"));
        Files.writeString(server.resolve("server.xml"), shipped.replaceFirst("<webApplication .*/>", ""));
        var topology = Files.writeString(
                run.resolve("topology.yaml"), """
                rollout:
                  port: %d
                  dispatch_poll_interval_seconds: 0.2
                gateway:
                  heartbeat_interval_seconds: 1
                  nodes:
                    - id: it
                      port: %d
                      agent_listen: 127.0.0.1:%d
                      inference: {engine: vllm, base_url: "http://127.0.0.1:9"}
                """.formatted(rolloutPort(), gatewayPort(), agentPort()));
        var overrides = Files.createDirectories(server.resolve("configDropins/overrides"));
        Files.writeString(overrides.resolve("it.xml"), """
                <server>
                  <featureManager><feature>localConnector-1.0</feature></featureManager>
                  <config updateTrigger="polled" monitorInterval="250ms"/>
                  <variable name="polar.topology" value="%s"/>
                  <variable name="polar.listen.rollout.port" value="%d"/>
                  <variable name="polar.listen.gateway.port" value="%d"/>
                  <variable name="polar.listen.agent.port" value="%d"/>
                  <variable name="polar.listen.agent.enabled" value="true"/>
                  <variable name="polar.listen.admin.port" value="%d"/>
                </server>
                """.formatted(
                        topology, rolloutPort(), gatewayPort(), agentPort(), adminPort()));
    }

    /** All are held until all are known, so that they differ. They lie below those of outgoing connections, of which one could take a port before the server does. */
    private static void takePorts(String... names) throws IOException {
        List<ServerSocket> held = new ArrayList<>();
        try {
            for (var name : names) {
                var socket = listen();
                held.add(socket);
                System.setProperty("polar.it." + name + ".port", String.valueOf(socket.getLocalPort()));
            }
        } finally {
            for (var socket : held) {
                socket.close();
            }
        }
    }

    private static ServerSocket listen() throws IOException {
        while (true) {
            try {
                int port = ThreadLocalRandom.current().nextInt(15_000, 32_000);
                return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
            } catch (BindException taken) {
                // the next one, then
            }
        }
    }
}
