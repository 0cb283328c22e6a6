/**
 * The evaluators that the server brings itself.
 *
 * <p>They need nothing but the session's end and its trajectory; whatever runs commands in a sandbox is a plugin.
 */
package dev.polar.evaluation;
