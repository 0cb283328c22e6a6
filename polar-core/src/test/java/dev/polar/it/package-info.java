/**
 * The WAR in a managed Open Liberty with the server configuration that we ship, called over HTTP as clients call it.
 *
 * <p>One server for all: its start costs more than all tests together.
 */
package dev.polar.it;
