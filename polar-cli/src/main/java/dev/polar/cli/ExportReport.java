package dev.polar.cli;

import dev.polar.export.ExportFormat;
import dev.polar.export.FileType;
import dev.polar.export.Tally;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What an export came to.
 *
 * @param to the file
 */
record ExportReport(Path to, ExportFormat format, FileType type, Tally tally) {
    void print(Output output) {
        output.answer(json());
        output.line(to + ": " + tally.rows() + " rows of " + tally.sessions() + " sessions, " + tally.tokens()
                + " tokens, " + tally.trainedTokens() + " of them to train on");
        if (tally.sessionsWithoutTraces() > 0) {
            output.line(tally.sessionsWithoutTraces() + " sessions have no traces");
        }
        if (tally.earlierSessions() > 0) {
            output.line("left out: " + tally.earlierSessions()
                    + " sessions of earlier runs of tasks that were submitted again (name their files to have them)");
        }
        if (!tally.leftOut().isEmpty()) {
            output.line("left out: "
                    + tally.leftOut().entrySet().stream()
                            .map(left -> left.getValue() + " " + LeftOutReasons.phrase(left.getKey()))
                            .collect(Collectors.joining("; ")));
        }
        tally.refused()
                .forEach((session, reason) ->
                        output.line(output.bad("refused: ") + session + " (" + LeftOutReasons.phrase(reason) + ")"));
    }

    private Map<String, Object> json() {
        var answer = new LinkedHashMap<String, Object>();
        answer.put("output", to.toString());
        answer.put("format", format.toString());
        answer.put("to", type.toString());
        answer.put("sessions", tally.sessions());
        answer.put("rows", tally.rows());
        answer.put("tokens", tally.tokens());
        answer.put("trained_tokens", tally.trainedTokens());
        answer.put("sessions_without_traces", tally.sessionsWithoutTraces());
        answer.put("sessions_of_earlier_runs", tally.earlierSessions());
        answer.put("left_out", tally.leftOut());
        answer.put("refused", tally.refused());
        return answer;
    }
}
