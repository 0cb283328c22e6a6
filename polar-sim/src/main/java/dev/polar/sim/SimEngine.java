package dev.polar.sim;

import java.util.Locale;

/** Whose answers the simulator gives. */
public enum SimEngine {
    /** vLLM 0.32. */
    VLLM,
    /** SGLang 0.5.23. */
    SGLANG;

    /**
     * Reads an engine's name in any case.
     *
     * @throws IllegalArgumentException when it is neither {@code vllm} nor {@code sglang}
     */
    public static SimEngine of(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "vllm" -> VLLM;
            case "sglang" -> SGLANG;
            default -> throw new IllegalArgumentException("engine '" + name + "' is unknown: use vllm or sglang");
        };
    }
}
