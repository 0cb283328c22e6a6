/**
 * The topology file: who runs where, with what limits.
 *
 * <p>One file, read by every command; strict, with {@code file:line: path:} in each complaint. Any key can be overridden by configuration ({@code polar.rollout.port},
 * {@code POLAR_ROLLOUT_PORT}). What is here is immutable and complete: defaults are filled in, hosts and URLs derived.
 */
package dev.polar.topology;
