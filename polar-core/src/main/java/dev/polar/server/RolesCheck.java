package dev.polar.server;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/** The roles have started; where they could not, {@code data.error} says why in one line. */
@Readiness
@ApplicationScoped
public class RolesCheck implements HealthCheck {
    private final PolarServer server;

    /** For the container's proxy. */
    protected RolesCheck() {
        this(null);
    }

    @Inject
    public RolesCheck(PolarServer server) {
        this.server = server;
    }

    @Override
    public HealthCheckResponse call() {
        var check = HealthCheckResponse.named("polar-roles").status(server.ready());
        server.roles().forEach(role -> check.withData(role.name().toLowerCase(java.util.Locale.ROOT), server.ready()));
        server.failure().ifPresent(why -> check.withData("error", why));
        return check.build();
    }
}
