package dev.polar.events;

import dev.polar.server.Role;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.BeforeDestroyed;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/** The roles' channels. Thread-safe. */
@ApplicationScoped
public class EventHub {
    private static final int CAPACITY = 4096;
    private static final Duration PING_INTERVAL = Duration.ofSeconds(15);

    private final Map<Role, EventChannel> channels = new EnumMap<>(Role.class);

    public EventHub() {
        for (var role : Role.values()) {
            channels.put(role, new EventChannel(CAPACITY, PING_INTERVAL));
        }
    }

    /** A role's channel. */
    public EventChannel of(Role role) {
        return channels.get(role);
    }

    /** While requests can still be answered. */
    void close(@Observes @BeforeDestroyed(ApplicationScoped.class) Object application) {
        channels.values().forEach(EventChannel::close);
    }
}
