package dev.polar.inference;

import dev.polar.spi.InferenceEngine;
import java.util.List;

/** The engines that come with the server; plugins add theirs beside them. */
public final class EngineCatalog {
    private static final List<InferenceEngine> BUILT_IN = List.of(new VllmEngine(), new SglangEngine());

    private EngineCatalog() {}

    /** {@code vllm} and {@code sglang}. */
    public static List<InferenceEngine> builtIn() {
        return BUILT_IN;
    }
}
