package dev.polar.cli;

import dev.polar.result.ResultException;
import dev.polar.result.ResultReader;
import dev.polar.result.SessionHead;
import dev.polar.result.SessionTrace;
import dev.polar.trace.MaskText;
import dev.polar.trace.Palette;
import dev.polar.trace.PromptDiffs;
import dev.polar.trace.RecordedTexts;
import dev.polar.trace.SessionTree;
import dev.polar.trace.TokenTexts;
import dev.polar.trace.TreeText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code polar trace}. */
@Command(
        name = "trace",
        description = "Show what became of a task's sessions: their traces as a tree, one trace with its mask, or where"
                + " prompts left what was sampled.",
        mixinStandardHelpOptions = true)
final class TraceCommand implements Callable<Integer> {
    @Mixin
    private Output output;

    @Mixin
    private Target target;

    @Parameters(index = "0", paramLabel = "TASK", description = "A task's id, or a result's file.")
    private String task;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "SESSION",
            description = "A session's id or a part of it (default: all of the task's).")
    private String session;

    @ArgGroup
    private View view;

    private static final class View {
        @Option(names = "--tokens", description = "Show one trace's tokens with its mask.")
        private boolean tokens;

        @Option(
                names = "--diff",
                description = "Show the first difference between each prompt whose tail was retokenized or rewritten"
                        + " and what had been sampled.")
        private boolean diff;
    }

    @Option(
            names = "--trace",
            paramLabel = "N",
            defaultValue = "0",
            description = "Which trace --tokens shows (default: ${DEFAULT-VALUE}).")
    private int index;

    private final Found found = new Found();

    @Override
    public Integer call() throws InterruptedException {
        try {
            read();
            if (found.ids.isEmpty()) {
                throw new UserException("task '" + task + "': "
                        + (session == null
                                ? "no session of it is over yet"
                                : "has no session '" + session + "'"
                                        + (found.others.isEmpty()
                                                ? ""
                                                : " (it has " + String.join(", ", found.others) + ")")));
            }
            if (view != null) {
                requireOne();
                if (view.tokens) {
                    showTokens();
                } else {
                    showDifferences();
                }
            }
            return 0;
        } catch (IOException broken) {
            throw new ResultException("task '" + task + "': its results ended halfway: " + broken.getMessage(), broken);
        }
    }

    private void read() throws IOException, InterruptedException {
        if (Files.isRegularFile(Path.of(task))) {
            ResultReader.read(Files.newInputStream(Path.of(task)), task, found);
        } else if (task.endsWith(".json") || task.contains("/")) {
            throw new UserException(task + ": there is no such file; name a result's file, or a task by its id"
                    + " (polar status lists those of a server)");
        } else {
            try (var client = target.client(output)) {
                var name = "task '" + task + "'";
                ResultReader.read(client.open("/rollout/task/" + RolloutClient.encoded(task), name), name, found);
            }
        }
        found.show();
    }

    private void requireOne() {
        if (found.ids.size() > 1) {
            throw new UserException("task '" + task + "' has " + found.ids.size() + " sessions: name one of "
                    + String.join(", ", found.ids));
        }
    }

    /** Shows the tree of each session that is wanted, and keeps the traces of the last where more is to be shown. */
    private final class Found implements ResultReader.Visitor {
        private final List<String> ids = new ArrayList<>();
        private final List<String> others = new ArrayList<>();
        private final List<SessionTrace> traces = new ArrayList<>();
        private SessionTree tree;

        @Override
        public void session(SessionHead head) {
            show();
            boolean wanted = session == null || head.sessionId().contains(session);
            (wanted ? ids : others).add(head.sessionId());
            tree = wanted ? new SessionTree(head) : null;
            if (wanted) {
                traces.clear();
            }
        }

        @Override
        public void trace(SessionTrace trace) {
            if (tree != null && view == null) {
                tree.add(trace);
            } else if (tree != null) {
                traces.add(trace);
            }
        }

        private void show() {
            if (tree != null && view == null) {
                output.answer(tree.json());
                new TreeText(tree, palette(), output::line).print();
            }
            tree = null;
        }
    }

    private static Palette palette() {
        return new Palette(Output.onTerminal());
    }

    private void showTokens() throws InterruptedException {
        var trace = found.traces.stream()
                .filter(each -> each.index() == index)
                .findFirst()
                .orElseThrow(() -> new UserException("session " + found.ids.getFirst() + " has " + found.traces.size()
                        + " traces: --trace " + index + " is none of them"));
        try (var sources = new TextSources(target, output, task, found.ids.getFirst())) {
            var shown = new MaskText(trace, sources.any());
            if (output.json()) {
                output.answer(shown.json());
            } else {
                shown.print(palette(), output::line);
            }
        }
    }

    private void showDifferences() throws InterruptedException {
        var differences = new PromptDiffs(found.traces);
        try (var sources = new TextSources(target, output, task, found.ids.getFirst())) {
            var merged = differences.merged();
            var engine = sources.engine();
            Optional<RecordedTexts> record =
                    merged.isEmpty() && engine.isPresent() ? Optional.empty() : sources.record(merged);
            var texts = engine.or(() -> record.map(TokenTexts.class::cast)).orElse(TokenTexts.UNKNOWN);
            var prompts = record.map(RecordedTexts::prompts).orElse(Map.of());
            var shown = differences.find(prompts);
            for (var difference : shown) {
                if (output.json()) {
                    output.answer(difference.json(texts));
                } else {
                    difference.print(texts, palette(), output::line);
                }
            }
            if (prompts.size() < merged.size()) {
                output.warn(merged.size() - prompts.size()
                        + " prompts of merged tails are not shown: the gateway does not give out the session's record");
            }
            if (shown.isEmpty() && merged.isEmpty()) {
                output.line("all tails are exact: no prompt left what was sampled");
            }
        }
    }
}
