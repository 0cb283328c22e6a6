package dev.polar.spi;

import org.pf4j.ExtensionPoint;

/** One kind of inference server with an OpenAI-style chat endpoint: declared, not coded. Core calls it and parses its answers as a stream by what the profile says. */
public interface InferenceEngine extends ExtensionPoint {
    /** The value of {@code inference.engine}. */
    String name();

    EngineProfile profile();
}
