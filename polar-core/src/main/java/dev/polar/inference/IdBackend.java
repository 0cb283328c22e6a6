package dev.polar.inference;

/**
 * One copy of an engine, and whether it takes ids.
 *
 * @param url where it is asked
 */
public record IdBackend(String url, IdVerdict verdict) {}
