package dev.polar.rollout;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.polar.server.StartException;
import dev.polar.topology.RolloutConfig.DatabaseConfig;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** The rollout server's database, its schema up to date. Thread-safe. */
final class Database implements AutoCloseable {
    private static final int CONNECTIONS = 12;
    private static final String UNIQUE_VIOLATION = "23505";

    private final HikariDataSource pool;
    private final Jdbi jdbi;

    private Database(HikariDataSource pool) {
        this.pool = pool;
        this.jdbi = Jdbi.create(pool);
    }

    /**
     * Opens it and brings its schema up to date.
     *
     * @param folder where the embedded one keeps its file
     * @param environment the value of an environment variable, or null
     * @throws StartException where it cannot be reached or is newer than this server
     */
    static Database open(DatabaseConfig config, Path folder, Function<String, String> environment) {
        var hikari = new HikariConfig();
        hikari.setPoolName("rollout");
        hikari.setMaximumPoolSize(CONNECTIONS);
        var url = config.url();
        if (url == null) {
            // Without WRITE_DELAY=0 a crash loses what was acknowledged.
            url = "jdbc:h2:file:" + folder.resolve("rollout").toAbsolutePath()
                    + ";WRITE_DELAY=0;DB_CLOSE_ON_EXIT=FALSE;LOCK_TIMEOUT=30000";
            hikari.setDriverClassName("org.h2.Driver");
        }
        hikari.setJdbcUrl(url);
        hikari.setUsername(config.user() == null ? "polar" : config.user());
        hikari.setPassword(config.passwordEnv() == null ? "" : password(config.passwordEnv(), environment));
        HikariDataSource pool = null;
        try {
            pool = new HikariDataSource(hikari);
            Flyway.configure(Database.class.getClassLoader())
                    .dataSource(pool)
                    .resourceProvider(new SchemaFiles())
                    .javaMigrationClassProvider(List::of)
                    .callbackLocations(new String[0])
                    .load()
                    .migrate();
            return new Database(pool);
        } catch (FlywayException | com.zaxxer.hikari.pool.HikariPool.PoolInitializationException refused) {
            if (pool != null) {
                pool.close();
            }
            throw new StartException(
                    "rollout.database: cannot open " + url + " (" + rootMessage(refused)
                            + "): check rollout.database.url, user and password_env, or leave rollout.database out for the embedded one",
                    refused);
        }
    }

    private static String password(String variable, Function<String, String> environment) {
        var password = environment.apply(variable);
        if (password == null) {
            throw new StartException(
                    "rollout.database.password_env: the environment variable " + variable + " is not set: set it");
        }
        return password;
    }

    private static String rootMessage(Throwable thrown) {
        var cause = thrown;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
    }

    /** A transaction, and what is to be done once it is committed. */
    static final class Change {
        private final Handle handle;
        private final List<Runnable> afterwards = new ArrayList<>();

        private Change(Handle handle) {
            this.handle = handle;
        }

        Handle handle() {
            return handle;
        }

        /** What the world outside is told: not before the change is sure. */
        void afterwards(Runnable action) {
            afterwards.add(action);
        }
    }

    /** Work on one connection. */
    <T> T read(Function<Handle, T> work) {
        return jdbi.withHandle(work::apply);
    }

    /** Work on one connection, committed as a whole or not at all. */
    <T> T change(Function<Change, T> work) {
        var afterwards = new ArrayList<Runnable>();
        T result = jdbi.inTransaction(handle -> {
            var change = new Change(handle);
            var done = work.apply(change);
            afterwards.addAll(change.afterwards);
            return done;
        });
        afterwards.forEach(Runnable::run);
        return result;
    }

    /** True where {@code thrown} says that a row of that key was there already. */
    static boolean isDuplicate(Throwable thrown) {
        for (var cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && UNIQUE_VIOLATION.equals(sql.getSQLState())) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void close() {
        pool.close();
    }
}
