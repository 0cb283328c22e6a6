package dev.polar.gateway;

import dev.polar.capture.Detokenizer;
import dev.polar.capture.RecordStore;
import dev.polar.plugin.PluginRegistry;
import dev.polar.proxy.SessionDirectory;
import dev.polar.topology.NodeConfig;
import java.net.URI;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Supplier;

/**
 * What the sessions of a node share.
 *
 * @param agentUrl where agents find the proxy, as seen from this machine, without a trailing slash
 * @param detokenizer the engine's
 * @param endOfTurn the engine's end-of-turn id, where it is known to have one
 * @param continuation how turns go on from earlier ones, as it is in force: {@code mode} and {@code keep}
 */
record NodeParts(
        NodeConfig config,
        NodeFolder folder,
        PluginRegistry plugins,
        RecordStore records,
        SessionDirectory directory,
        Stages stages,
        URI agentUrl,
        Detokenizer detokenizer,
        OptionalInt endOfTurn,
        Supplier<Map<String, Object>> continuation) {}
