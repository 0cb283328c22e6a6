package dev.polar.spi;

/** The settings of an extension that has none: any key is then an error. */
public record NoConfig() {}
