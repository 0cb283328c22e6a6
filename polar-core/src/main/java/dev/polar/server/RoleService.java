package dev.polar.server;

/** One role's work besides its resources. An application-scoped bean of this type is started and stopped with the process where the process plays its role. */
public interface RoleService {
    Role role();

    /**
     * Called once, before requests are let through. Must return soon: what takes long goes on in threads of its own.
     *
     * @throws RuntimeException whose message is one line that says what is wrong and what to do
     */
    void start();

    /** Called once after {@link #start()} has returned; ends all that it started. */
    void stop();
}
