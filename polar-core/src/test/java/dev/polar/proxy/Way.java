package dev.polar.proxy;

import dev.polar.sim.SimEngine;
import dev.polar.topology.NodeConfig;

/** The ways in which an answer comes to an agent. */
enum Way {
    VLLM_WHOLE(SimEngine.VLLM, false, NodeConfig.Streaming.BUFFERED),
    VLLM_BUFFERED(SimEngine.VLLM, true, NodeConfig.Streaming.BUFFERED),
    VLLM_NATIVE(SimEngine.VLLM, true, NodeConfig.Streaming.NATIVE),
    SGLANG_WHOLE(SimEngine.SGLANG, false, NodeConfig.Streaming.BUFFERED),
    SGLANG_BUFFERED(SimEngine.SGLANG, true, NodeConfig.Streaming.BUFFERED),
    SGLANG_NATIVE(SimEngine.SGLANG, true, NodeConfig.Streaming.NATIVE);

    final SimEngine engine;

    /** The agent asks for a stream. */
    final boolean streamed;

    private final NodeConfig.Streaming streaming;

    Way(SimEngine engine, boolean streamed, NodeConfig.Streaming streaming) {
        this.engine = engine;
        this.streamed = streamed;
        this.streaming = streaming;
    }

    Node.Setup setup() {
        return Node.Setup.DEFAULT.streaming(streaming);
    }
}
