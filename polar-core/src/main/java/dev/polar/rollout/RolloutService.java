package dev.polar.rollout;

import dev.polar.events.EventHub;
import dev.polar.security.ControlToken;
import dev.polar.server.PolarServer;
import dev.polar.server.ProblemException;
import dev.polar.server.Role;
import dev.polar.server.RoleService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

/** The rollout server's life in the process. Thread-safe. */
@ApplicationScoped
public class RolloutService implements RoleService {
    private final PolarServer process;
    private final ControlToken token;
    private final EventHub events;
    private volatile RolloutServer server;

    /** For the container's proxy. */
    protected RolloutService() {
        this(null, null, null);
    }

    @Inject
    public RolloutService(PolarServer process, ControlToken token, EventHub events) {
        this.process = process;
        this.token = token;
        this.events = events;
    }

    @Override
    public Role role() {
        return Role.ROLLOUT;
    }

    @Override
    public void start() {
        server = new RolloutServer(
                process.topology(),
                process.dataDir(Role.ROLLOUT),
                token,
                events.of(Role.ROLLOUT),
                () -> System.currentTimeMillis() / 1000.0);
    }

    @Override
    public void stop() {
        var running = server;
        server = null;
        if (running != null) {
            running.close();
        }
    }

    /** @throws ProblemException 503 before the start and after the stop */
    RolloutServer server() {
        var running = server;
        if (running == null) {
            throw new ProblemException(503, "the rollout server is not running");
        }
        return running;
    }
}
