package dev.polar.runtime.local;

import dev.polar.spi.ExecRequest;
import dev.polar.spi.RuntimeRequest;
import dev.polar.spi.RuntimeSpec;
import dev.polar.spi.SessionInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A server that is killed while a command with a detached child runs. */
final class DoomedOwner {
    private DoomedOwner() {}

    public static void main(String[] args) throws Exception {
        var node = Path.of(args[0]).resolve("doomed");
        var spec = new RuntimeSpec(
                "local",
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                Map.of("bubblewrap", args[1]));
        var runtime = new LocalRuntimeProvider()
                .start(new RuntimeRequest(
                        new SessionInfo("sk-polar-2", "task", LocalRuntimeContract.NODE, Map.of()),
                        "run",
                        spec,
                        node.resolve("runtimes"),
                        Files.createDirectories(node.resolve("session")),
                        null,
                        Map.of()));
        runtime.exec(ExecRequest.shell("(setsid sleep " + args[2] + " >/dev/null 2>&1 &); sleep " + args[2]));
    }
}
