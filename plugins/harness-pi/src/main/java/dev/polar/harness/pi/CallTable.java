package dev.polar.harness.pi;

import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import java.util.ArrayList;
import java.util.List;

/**
 * What a call was for, as seen on the wire of version 0.74.2, in all four dialects. No header says it. The first row that fits decides:
 *
 * <table>
 * <caption>Rows</caption>
 * <tr><th>seen</th><th>label</th></tr>
 * <tr><td>system text of the summary's request; no tools are offered, and the conversation is quoted in the one user message</td><td>compaction</td></tr>
 * <tr><td>any later call: its history begins with the summary</td><td>resumed</td></tr>
 * <tr><td>all else</td><td>main</td></tr>
 * </table>
 */
final class CallTable {
    private static final String COMPACTION = "You are a context summarization assistant.";

    private CallTable() {}

    static List<CallLabel> labels(List<CallFacts> calls) {
        boolean compacted = false;
        var labels = new ArrayList<CallLabel>();
        for (var call : calls) {
            if (call.system().startsWith(COMPACTION)) {
                compacted = true;
                labels.add(new CallLabel("main", null, "compaction"));
            } else {
                labels.add(compacted ? new CallLabel("main", null, "resumed") : CallLabel.MAIN);
            }
        }
        return labels;
    }
}
