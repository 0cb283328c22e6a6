package dev.polar.plugin;

/**
 * The right to use an extension until it is closed: a plugin that is replaced or removed meanwhile stays loaded as long. Thread-safe; closing it twice does no harm.
 *
 * @param <T> the extension point
 */
public interface Lease<T> extends AutoCloseable {
    /** The extension. While one of its methods runs, the thread's context class loader is the plugin's. */
    T value();

    /** Id of the plugin that it comes from; {@link PluginInfo#BUILT_IN} for what the server brings itself. */
    String pluginId();

    @Override
    void close();
}
