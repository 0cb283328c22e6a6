package dev.polar.server;

import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Liveness;

/** The process answers. A start that failed does not heal by a restart with the same files, so it is no reason to be killed. */
@Liveness
@ApplicationScoped
public class AliveCheck implements HealthCheck {
    @Override
    public HealthCheckResponse call() {
        return HealthCheckResponse.up("polar");
    }
}
