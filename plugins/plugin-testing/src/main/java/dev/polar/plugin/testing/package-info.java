/**
 * What the tests of several plugins need: a runtime that is this machine, a session whose agent is a script, and the condition for tests that need a program.
 *
 * <p>In no plugin's jar. Doubles say so in their names.
 */
package dev.polar.plugin.testing;
