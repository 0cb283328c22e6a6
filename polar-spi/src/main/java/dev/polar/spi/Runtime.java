package dev.polar.spi;

import java.net.URI;
import java.nio.file.Path;

/**
 * A started sandbox. Thread-safe. Each method but {@link #stop} answers an interrupt by ending what it does and throwing {@link InterruptedException}.
 */
public interface Runtime {
    /** Where a session's own folder is in every runtime. */
    String SESSION_DIR = "/polar/session";

    /** Runs a command to its end. When this returns, for whatever reason, the command's process group is gone. */
    ExecResult exec(ExecRequest request) throws InterruptedException;

    /**
     * Copies a file, or a folder's content, into the runtime; folders on the way are made, modes are kept.
     *
     * @param source on the node
     * @param target absolute path in the runtime, of the file or folder itself
     */
    void upload(Path source, String target) throws InterruptedException;

    /**
     * Copies a file or folder out of the runtime.
     *
     * @param source absolute path in the runtime
     * @param target on the node, of the file or folder itself
     */
    void download(String source, Path target) throws InterruptedException;

    /** How its processes must spell a path that a task spells {@code sandboxPath}: the same, unless the runtime has no view of its own. */
    String path(String sandboxPath);

    /** How the gateway is reached from inside. */
    default URI reach(URI gateway) {
        return gateway;
    }

    /** Ends every process that was started in it; the runtime stays usable. */
    void endProcesses();

    /** Ends and removes it. May be called twice. Never interrupted; has a timeout of its own. */
    void stop();
}
