/**
 * Load runs by hand: what a call costs the gateway. Nothing here is a test; figures that were measured stand in {@code bench/RESULTS.md} with their command, date and machine.
 */
package dev.polar.bench;
