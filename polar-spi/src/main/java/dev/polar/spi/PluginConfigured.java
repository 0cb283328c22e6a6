package dev.polar.spi;

/**
 * An extension that takes {@code plugins.config.<plugin id>} of the topology.
 *
 * @param <C> a record; an unknown key is an error that names its path and the known keys
 */
public interface PluginConfigured<C extends Record> {
    /** The record that the configuration is bound to. */
    Class<C> pluginConfigType();

    /** Called once, before any other method of the extension, also where the topology says nothing (all components null then). */
    void configure(C config);
}
