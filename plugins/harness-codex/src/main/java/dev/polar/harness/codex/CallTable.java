package dev.polar.harness.codex;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Whose call a call was, as seen on the wire of version 0.171.0. Each call carries a header {@code x-codex-turn-metadata}, which is JSON, and {@code thread-id}. The
 * first row says who calls, the others what for:
 *
 * <table>
 * <caption>Rows</caption>
 * <tr><th>seen</th><th>label</th></tr>
 * <tr><td>header {@code x-openai-subagent} ({@code collab_spawn} where the model asked for one; {@code x-codex-parent-thread-id} is there too)</td><td>subagent, told apart by {@code thread-id}</td></tr>
 * <tr><td>{@code "request_kind": "compaction"} in the metadata; the last user message is then the request for a summary, and no tools are offered</td><td>compaction, of whoever asks</td></tr>
 * <tr><td>any later call of an agent that has compacted; its {@code window_number} has then risen, and its history begins with the summary</td><td>resumed</td></tr>
 * <tr><td>another {@code request_kind}, in a session that has calls of kind {@code turn}: what the program does for itself; none was seen</td><td>auxiliary</td></tr>
 * <tr><td>all else</td><td>main</td></tr>
 * </table>
 */
final class CallTable {
    static final String METADATA_HEADER = "x-codex-turn-metadata";
    static final String SUBAGENT_HEADER = "x-openai-subagent";
    static final String THREAD_HEADER = "thread-id";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String COMPACTION = "compaction";
    private static final String TURN = "turn";
    private static final String SUMMARY_REQUEST = "You are performing a CONTEXT CHECKPOINT COMPACTION";

    private CallTable() {}

    static List<CallLabel> labels(List<CallFacts> calls) {
        boolean turns = calls.stream().anyMatch(call -> kind(call).equals(TURN));
        var compacted = new HashSet<String>();
        var labels = new ArrayList<CallLabel>();
        for (var call : calls) {
            labels.add(label(call, turns, compacted));
        }
        return labels;
    }

    private static CallLabel label(CallFacts call, boolean sessionHasTurns, Set<String> compacted) {
        var headers = call.headers();
        var thread = headers.get(SUBAGENT_HEADER) == null ? null : headers.get(THREAD_HEADER);
        var role = headers.get(SUBAGENT_HEADER) == null ? "main" : "subagent";
        var kind = kind(call);
        if (kind.equals(COMPACTION)) {
            compacted.add(thread);
            return new CallLabel(role, thread, COMPACTION);
        }
        if (sessionHasTurns && !kind.equals(TURN)) {
            return CallLabel.AUXILIARY;
        }
        return new CallLabel(role, thread, compacted.contains(thread) ? "resumed" : null);
    }

    private static String kind(CallFacts call) {
        var told = metadata(call.headers().get(METADATA_HEADER))
                .path("request_kind")
                .asText("");
        if (!told.isEmpty()) {
            return told;
        }
        return call.lastUser().contains(SUMMARY_REQUEST) ? COMPACTION : TURN;
    }

    private static JsonNode metadata(String header) {
        try {
            return header == null ? MissingNode.getInstance() : JSON.readTree(header);
        } catch (JacksonException foreign) {
            return MissingNode.getInstance();
        }
    }
}
