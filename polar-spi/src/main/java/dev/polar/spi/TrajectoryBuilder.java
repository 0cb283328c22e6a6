package dev.polar.spi;

import java.util.Set;
import org.pf4j.ExtensionPoint;

/**
 * Makes training traces of a record: a pure function of its arguments. The server checks the invariants of what comes back; a broken one ends the session as ERROR.
 *
 * @param <C> the record that {@code builder.config} is bound to; its components are null where the task says nothing
 */
public interface TrajectoryBuilder<C extends Record> extends ExtensionPoint {
    /** The values of {@code builder.strategy} that this builder claims. */
    Set<String> names();

    /** The record of {@code builder.config}. */
    Class<C> configType();

    BuiltTrajectory build(SessionRecord record, C config);
}
