package dev.polar.trace;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.trace.Palette.Style;
import dev.polar.trace.SessionTree.Chain;
import dev.polar.trace.SessionTree.Turn;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** A session's tree as lines for a terminal. */
public final class TreeText {
    private final SessionTree tree;
    private final Palette palette;
    private final Consumer<String> out;

    /** @param out takes a line at a time */
    public TreeText(SessionTree tree, Palette palette, Consumer<String> out) {
        this.tree = tree;
        this.palette = palette;
        this.out = out;
    }

    public void print() {
        var session = tree.session();
        boolean completed = session.status().equals("COMPLETED");
        out.accept(palette.paint(Style.TITLE, "session " + session.sessionId()) + "  "
                + palette.paint(completed ? Style.GOOD : Style.BAD, session.status()) + reward(session.metadata()));
        stats(session.metadata());
        var roots = tree.below(-1);
        for (int i = 0; i < roots.size(); i++) {
            chain(roots.get(i), "", i == roots.size() - 1);
        }
        excluded(session.metadata());
    }

    private static String reward(JsonNode metadata) {
        var outcome = metadata.path("evaluation").path("outcome_reward");
        return outcome.isNumber() ? "  reward " + outcome.asText() : "";
    }

    private void stats(JsonNode metadata) {
        var stats = metadata.path("reconstruction_stats");
        var line = new StringBuilder();
        line.append(metadata.path("record_count").asInt()).append(" completions in ");
        line.append(tree.size()).append(tree.size() == 1 ? " trace" : " traces");
        line.append(counts(", tails: ", stats, "tails_"));
        line.append(counts(", breaks: ", stats.path("breaks"), ""));
        if (stats.path("failed_calls").asInt() > 0) {
            line.append(", ").append(stats.path("failed_calls").asInt()).append(" failed calls");
        }
        line.append(counts(", continuation: ", metadata.path("continuation"), ""));
        if (metadata.path("not_built").isTextual()) {
            line.append(", not built: ").append(metadata.path("not_built").textValue());
        }
        out.accept(palette.paint(Style.DIM, line.toString()));
    }

    /** Those that are numbers above 0 and whose name begins so. */
    private static String counts(String title, JsonNode counts, String prefix) {
        var listed = counts.properties().stream()
                .filter(count ->
                        count.getKey().startsWith(prefix) && count.getValue().asInt() > 0)
                .map(count -> count.getValue().asInt() + " " + count.getKey().substring(prefix.length()))
                .collect(Collectors.joining(", "));
        return listed.isEmpty() ? "" : title + listed;
    }

    private void chain(Chain chain, String indent, boolean last) {
        out.accept(indent + (last ? "└─ " : "├─ ") + head(chain));
        var within = indent + (last ? "   " : "│  ");
        var below = tree.below(chain.index());
        int width = chain.turns().stream()
                .mapToInt(turn -> tokens(turn).length())
                .max()
                .orElse(0);
        for (int i = 0; i < chain.turns().size(); i++) {
            boolean end = below.isEmpty() && i == chain.turns().size() - 1;
            out.accept(
                    within + (end ? "└─ " : "├─ ") + line(i + 1, chain.turns().get(i), width));
        }
        for (int i = 0; i < below.size(); i++) {
            chain(below.get(i), within, i == below.size() - 1);
        }
    }

    private String head(Chain chain) {
        var head = new StringBuilder(palette.paint(Style.TITLE, "trace " + chain.index()));
        head.append("  ").append(chain.role());
        if (chain.agent() != null) {
            head.append(" ").append(chain.agent());
        }
        head.append("  ")
                .append(chain.prompt())
                .append(" + ")
                .append(chain.response())
                .append(" tokens, ");
        head.append(chain.trained()).append(" to train on");
        if (chain.reward() != null) {
            head.append(", reward ").append(chain.reward());
        }
        var filter = chain.filter().path("reason");
        if (filter.isTextual()) {
            head.append(palette.paint(Style.BAD, "  " + filter.textValue()));
        }
        var reason = why(chain);
        if (!reason.isEmpty()) {
            head.append("  ").append(palette.paint(Style.NOTE, reason));
        }
        return head.toString();
    }

    /** Why it starts. */
    private static String why(Chain chain) {
        var shares = chain.parent() < 0 ? "" : ", shares " + chain.shared() + " tokens with trace " + chain.parent();
        return switch (chain.reason()) {
            case "", "first" -> "";
            case "same_prompt" -> "the same prompt again" + shares;
            case "fork" -> "forks" + shares;
            case "retokenized" -> "the same text came back in other tokens (retokenized)" + shares;
            case "rewritten" -> "what came back was not what was sampled (rewritten)" + shares;
            case "role" -> "begins with another agent's context" + shares;
            default -> chain.reason() + shares;
        };
    }

    private String line(int number, Turn turn, int width) {
        var tail = turn.said().path("tail").asText("");
        var exact = List.of("first", "exact").contains(tail);
        var line = new StringBuilder(String.format("%2d  ", number));
        line.append(palette.paint(exact ? Style.DIM : Style.NOTE, String.format("%-11s", tail)));
        line.append(String.format("  %-" + Math.max(1, width) + "s", tokens(turn)));
        var notes = notes(turn);
        if (!notes.isEmpty()) {
            line.append("  ").append(palette.paint(Style.NOTE, String.join(", ", notes)));
        }
        if (!turn.did().isEmpty()) {
            line.append("  ").append(turn.did());
        }
        return line.toString().stripTrailing();
    }

    private static String tokens(Turn turn) {
        return (turn.given() > 0 ? turn.given() + " given, " : "") + turn.sampled() + " sampled";
    }

    private List<String> notes(Turn turn) {
        var notes = new ArrayList<String>();
        var said = turn.said();
        if (said.path("context").isTextual()) {
            notes.add("sampled after the "
                    + (said.get("context").asText().equals("any") ? "rewritten text" : "same text in other tokens"));
        }
        if (said.path("stop_differs").asBoolean()) {
            notes.add("another stop token");
        }
        if (said.path("superseded_by").isTextual()) {
            notes.add("superseded");
        }
        if (said.path("included_by").isTextual()) {
            notes.add("included by " + said.get("included_by").asText());
        }
        if (said.path("guided").asBoolean() || said.path("guided").isContainerNode()) {
            notes.add("guided");
        }
        versions(said, notes);
        if (!turn.continuation().isEmpty() && !turn.continuation().equals("first")) {
            notes.add("continuation " + turn.continuation());
        }
        return notes;
    }

    private static void versions(JsonNode said, List<String> notes) {
        var version = said.path("policy_version");
        if (!version.isMissingNode() && !version.isNull()) {
            var end = said.path("policy_version_end");
            boolean changed = !end.isMissingNode() && !end.isNull() && !end.equals(version);
            notes.add("policy " + version.asText() + (changed ? " to " + end.asText() : ""));
        }
    }

    private void excluded(JsonNode metadata) {
        var reasons = new TreeMap<String, Integer>();
        for (var excluded : metadata.path("excluded_completions")) {
            reasons.merge(excluded.path("reason").asText(), 1, Integer::sum);
        }
        if (!reasons.isEmpty()) {
            out.accept(palette.paint(
                    Style.DIM,
                    "left out: "
                            + reasons.entrySet().stream()
                                    .map(reason -> reason.getValue() + " " + reason.getKey())
                                    .collect(Collectors.joining(", "))));
        }
    }
}
