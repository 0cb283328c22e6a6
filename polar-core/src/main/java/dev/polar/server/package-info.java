/**
 * The process: which roles it plays, on which ports, and what every role's HTTP needs.
 *
 * <p>One WAR, one or both roles. The local port of a request says which role is asked: its path is moved under that role's base before a resource is looked for, so that {@code /health} and
 * {@code /events} exist once per role and nobody outside can name a base. A role starts after the one before it and says in one line why it cannot.
 */
package dev.polar.server;
