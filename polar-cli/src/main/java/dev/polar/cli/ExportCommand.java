package dev.polar.cli;

import dev.polar.export.Export;
import dev.polar.export.ExportFormat;
import dev.polar.export.FileType;
import dev.polar.export.ImageForm;
import dev.polar.export.Selection;
import dev.polar.export.Tally;
import dev.polar.result.ResultException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code polar export}. */
@Command(
        name = "export",
        description = "Write the traces of tasks into a file for training, a row each."
                + " Exit status 1: a session was refused because the format cannot hold it.",
        mixinStandardHelpOptions = true)
final class ExportCommand implements Callable<Integer> {
    /** Those that every harness may have. */
    private static final Set<String> ROLES = Set.of("main", "subagent", "auxiliary");

    @Mixin
    private Output output;

    @Mixin
    private Target target;

    @Parameters(arity = "0..*", paramLabel = "TASK", description = "Ids of tasks.")
    private List<String> tasks = List.of();

    @Option(
            names = "--from",
            paramLabel = "PATH",
            description =
                    "Instead of tasks: a result's file, or a folder with some (as rollout.save_dir has); no server"
                            + " is asked.")
    private List<Path> paths = List.of();

    @Option(names = "--format", required = true, description = "What a row is: ${COMPLETION-CANDIDATES}.")
    private ExportFormat format;

    @Option(
            names = "--to",
            defaultValue = "jsonl",
            description = "What the file is: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private FileType type;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Where to (default: TASK.FORMAT.jsonl, say, in this folder).")
    private Path file;

    @Option(names = "--force", description = "Replace the file where it is there.")
    private boolean force;

    @Option(names = "--min-reward", paramLabel = "X", description = "Only traces with at least this reward.")
    private Double minReward;

    @Option(names = "--max-reward", paramLabel = "X", description = "Only traces with at most this reward.")
    private Double maxReward;

    @Option(
            names = "--status",
            split = ",",
            paramLabel = "STATUS",
            description = "Only of sessions that ended so: COMPLETED, ERROR, TIMEOUT (default: all).")
    private Set<String> statuses = Set.of();

    @Option(
            names = "--role",
            split = ",",
            paramLabel = "ROLE",
            description = "Only traces of this role: main, subagent, … (default: all).")
    private Set<String> roles = Set.of();

    @Option(names = "--trainable", description = "Only traces with something to train on.")
    private boolean trainable;

    @Option(
            names = "--images",
            description = "How pictures stand in rows: ${COMPLETION-CANDIDATES} (default: reference; of format messages"
                    + " none, and content is plain text).")
    private ImageForm images;

    @Override
    public Integer call() throws InterruptedException {
        var to = checkedTarget();
        try (var export = new Export(to, format, type, images, selection())) {
            try (var progress = new ExportProgress(export.tally(), output)) {
                if (paths.isEmpty()) {
                    addTasks(export, progress);
                } else {
                    addFiles(export, progress);
                }
                checkRoles(export.tally());
                export.finish();
            }
            new ExportReport(to, format, type, export.tally()).print(output);
            return export.tally().refused().isEmpty() ? 0 : 1;
        } catch (IOException failed) {
            throw new ResultException("the export ended halfway, and nothing was kept: " + failed.getMessage(), failed);
        }
    }

    private Path checkedTarget() {
        if (tasks.isEmpty() == paths.isEmpty()) {
            throw new UserException("name tasks, or files with --from" + (tasks.isEmpty() ? "" : ", but not both"));
        }
        var to = file != null ? file : Path.of(defaultName());
        checkName(to);
        if (Files.isDirectory(to)) {
            throw new UserException(to + ": is a folder: name a file with --output");
        }
        if (Files.exists(to) && !force) {
            throw new UserException(to + ": is there already: --force replaces it, --output names another");
        }
        var folder = to.toAbsolutePath().getParent();
        if (!Files.isDirectory(folder)) {
            throw new UserException(to + ": there is no folder " + folder);
        }
        return to;
    }

    private void checkName(Path to) {
        var name = to.toString();
        if (name.equals("-")) {
            throw new UserException("--output: '-' would be a file of that name, and rows do not go to standard output,"
                    + " since they are whole in a file or nowhere: name a file");
        }
        for (var other : FileType.values()) {
            if (other != type && name.toLowerCase(Locale.ROOT).endsWith("." + other)) {
                throw new UserException("--output: " + name + " says " + other + ", and what is written is " + type
                        + ": say --to " + other + ", or name the file otherwise");
            }
        }
    }

    /** A harness may give its calls roles of its own, so what no trace has is known at the end alone. */
    private void checkRoles(Tally tally) {
        for (var role : roles) {
            if (!ROLES.contains(role) && !tally.roles().contains(role)) {
                throw new UserException("--role: no trace has the role '" + role + "' (there are: "
                        + (tally.roles().isEmpty() ? "none" : String.join(", ", tally.roles())) + ")");
            }
        }
    }

    private String defaultName() {
        var name = tasks.size() == 1 ? tasks.getFirst().replaceAll("[^A-Za-z0-9._-]", "_") : "polar";
        return name + "." + format + "." + type;
    }

    private Selection selection() {
        var known = Set.of("COMPLETED", "ERROR", "TIMEOUT");
        var wanted = new LinkedHashSet<String>();
        for (var status : statuses) {
            if (!known.contains(status.toUpperCase(Locale.ROOT))) {
                throw new UserException("--status: '" + status + "' is none of COMPLETED, ERROR, TIMEOUT");
            }
            wanted.add(status.toUpperCase(Locale.ROOT));
        }
        return new Selection(minReward, maxReward, wanted, Set.copyOf(roles), trainable);
    }

    private void addTasks(Export export, ExportProgress progress) throws IOException, InterruptedException {
        try (var client = target.client(output)) {
            for (var task : new LinkedHashSet<>(tasks)) {
                var name = "task '" + task + "'";
                var body = client.open("/rollout/task/" + RolloutClient.encoded(task), name);
                var state = export.add(progress.watch(body, name), name)
                        .path("status")
                        .asText();
                if (state.equals("running") || state.equals("cancelling")) {
                    output.warn(name + " is " + state + ": only the sessions that are over were exported");
                }
            }
        }
    }

    private void addFiles(Export export, ExportProgress progress) throws IOException {
        for (var path : paths) {
            if (!Files.exists(path)) {
                throw new UserException(path + ": there is no such file or folder");
            }
            var files = List.of(path);
            if (Files.isDirectory(path)) {
                var folder = ResultFolder.read(path);
                files = folder.files();
                export.tally().leaveOutEarlier(folder.earlier());
            }
            for (var each : files) {
                export.add(progress.watch(Files.newInputStream(each), each.toString()), each.toString());
            }
        }
    }
}
