/**
 * The extensions that this process has: those of the plugin jars and those built in, each found by the name that a task or topology asks for.
 *
 * <p>A jar is one plugin with a class loader of its own, in which it sees the SPI and the JDK and nothing of the server. The folder is looked at again and again; a session holds a
 * {@link dev.polar.plugin.Lease} on what it uses, so it finishes on the version that it began with. Nothing that a jar does wrong takes the server down: it is listed with its reason.
 */
package dev.polar.plugin;
