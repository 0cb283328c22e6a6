package dev.polar.spi;

/** A limit that a runtime can enforce. */
public enum RuntimeFeature {
    CPUS,
    MEMORY,
    STORAGE,
    GPUS,
    /** {@code allow_internet: false}: only the gateway is reachable. */
    NO_INTERNET,
    /** {@code network} other than {@code host}. */
    NETWORK,
    /** {@code image}. */
    IMAGE
}
