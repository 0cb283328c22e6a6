/**
 * JSON on the wire: one mapper, and the binding of outside JSON to the SPI's records.
 *
 * <p>Names are snake case. What outsiders send is bound strictly: an unknown key or a bad value is a {@link dev.polar.wire.BindingException} with its whole path. What our own
 * processes send each other tolerates unknown keys, so that they can be upgraded one by one.
 */
package dev.polar.wire;
