/**
 * Who may do what.
 *
 * <p>Two kinds of secret, never mixed: the control token opens the control plane, a session's key opens that session's model calls. Both are compared in constant time, come from the environment
 * or are made here, and appear in no log, result, event or command line.
 */
package dev.polar.security;
