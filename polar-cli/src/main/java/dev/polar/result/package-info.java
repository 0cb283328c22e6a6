/**
 * Session results, read. A result can be larger than memory, so it is read as a stream and its traces are handed on one at a time; a trace's ids are primitive arrays and its messages are what the
 * result says. What a trace does not say for certain (which message a span's ids are) is empty, and nobody's guess.
 */
package dev.polar.result;
