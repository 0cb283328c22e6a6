/**
 * What a plugin sees of Polar: the extension points, and the records that cross the wire.
 *
 * <p>Nothing here knows the server. Records validate themselves in their constructors and are immutable; their JSON names are the component names in snake case, and the server binds
 * them. Free-form JSON is {@code Map<String, Object>} of {@link java.util.Map}, {@link java.util.List}, {@link String}, {@link Number}, {@link Boolean} and {@code null}.
 * An extension is handed what it needs as arguments and never looks anything up. One instance serves many sessions at once, so an extension keeps no state of a session in itself.
 */
package dev.polar.spi;
