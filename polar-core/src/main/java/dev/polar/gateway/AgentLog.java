package dev.polar.gateway;

import dev.polar.spi.ExecRequest;
import dev.polar.spi.ExecResult;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What the agent's last command printed, for {@code agent_result.log}: where it stands on the node, and its end, short, without control characters and secrets.
 *
 * @param stdout file, or null
 * @param stderr file, or null
 * @param secrets that may have been printed
 */
record AgentLog(Path stdout, Path stderr, Secrets secrets) {
    private static final int LINES = 15;
    private static final int LINE_LENGTH = 400;
    /** Characters that are looked at: more than the lines that are told can have. */
    private static final int LOOKED_AT = 4 * LINES * LINE_LENGTH;

    /** Colours, cursor movements and window titles: ECMA-48 5.4 (control sequences) and 5.6 (control strings), and the two-character escapes. */
    private static final Pattern TERMINAL = Pattern.compile(
            "\\x1b(?:\\[[\\x30-\\x3f]*[\\x20-\\x2f]*[\\x40-\\x7e]|[\\]PX^_][^\\x07\\x1b]*(?:\\x07|\\x1b\\\\)|.)");

    private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\p{Cf}&&[^\\t]]");

    static AgentLog of(ExecRequest command, Secrets secrets) {
        return new AgentLog(command.stdoutFile(), command.stderrFile(), secrets);
    }

    /**
     * The keys {@code stdout} and {@code stderr}: the files; and {@code last_lines} of standard error, or where nothing came there of standard output.
     *
     * @param last how the command ended; null where it was cut off, and then there are no lines
     */
    Map<String, Object> told(ExecResult last) {
        var told = new LinkedHashMap<String, Object>();
        if (stdout != null) {
            told.put("stdout", stdout.toString());
        }
        if (stderr != null) {
            told.put("stderr", stderr.toString());
        }
        if (last != null) {
            told.put("last_lines", lastLines(last.stderr().isBlank() ? last.stdout() : last.stderr()));
        }
        return told;
    }

    private List<String> lastLines(String printed) {
        // A secret must be whole to be found, so it is looked for before anything is cut off.
        var text = secrets.removedFrom(printed);
        int start = text.length() <= LOOKED_AT ? 0 : text.indexOf('\n', text.length() - LOOKED_AT) + 1;
        var lines = TERMINAL.matcher(text.substring(start))
                .replaceAll("")
                .lines()
                .map(line -> CONTROL.matcher(line).replaceAll("").stripTrailing())
                .filter(line -> !line.isEmpty())
                .map(line -> line.length() <= LINE_LENGTH ? line : line.substring(0, LINE_LENGTH) + "…")
                .toList();
        return lines.subList(Math.max(0, lines.size() - LINES), lines.size());
    }
}
