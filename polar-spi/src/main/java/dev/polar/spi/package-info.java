/**
 * What a plugin sees of Polar: the extension points, and the records that cross the wire.
 *
 * <p>Nothing here knows the server. Records validate themselves in their constructors and are immutable; their JSON names are the component names in snake case, and the server binds
 * them. Free-form JSON is {@code Map<String, Object>} of {@link java.util.Map}, {@link java.util.List}, {@link String}, {@link Number}, {@link Boolean} and {@code null}.
 * An extension is handed what it needs as arguments and never looks anything up. One instance serves many sessions at once, so an extension keeps no state of a session in itself.
 *
 * <p>A plugin is a jar in the server's plugin folder. Its manifest has {@code Plugin-Id} and {@code Plugin-Version}; each extension is a public class with a public constructor without
 * arguments and {@link org.pf4j.Extension} on it, which PF4J's annotation processor lists in the jar. This package, PF4J, SLF4J and Jackson's annotations come from the server; any other library is the jar's own.
 * An extension point's record of settings or configuration is bound strictly: a key that it lacks is refused, and what its constructor refuses is told with the key's path.
 */
package dev.polar.spi;
