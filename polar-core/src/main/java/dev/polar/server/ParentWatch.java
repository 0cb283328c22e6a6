package dev.polar.server;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends this process when the one that started it is gone, however that one ended: a killed command leaves no server behind. */
final class ParentWatch {
    private static final Logger LOG = LoggerFactory.getLogger(ParentWatch.class);

    private ParentWatch() {}

    /**
     * Watches from now on.
     *
     * @param parent process id
     * @throws StartException where it is no process id
     */
    static void start(String parent) {
        long pid;
        try {
            pid = Long.parseLong(parent);
        } catch (NumberFormatException notAPid) {
            throw new StartException(
                    "polar.parent.pid: '" + parent + "' is no process id: unset POLAR_PARENT_PID", notAPid);
        }
        Thread.ofVirtual().name("parent-watch").start(() -> {
            ProcessHandle.of(pid).ifPresent(handle -> handle.onExit().join());
            LOG.warn("process {}, which started this server, has ended: stopping", pid);
            System.exit(0);
        });
    }
}
