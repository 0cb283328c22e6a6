package dev.polar.cli;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code polar submit}. */
@Command(
        name = "submit",
        description = "Submit a task and wait for its results. Exit status 1: a session did not complete.",
        mixinStandardHelpOptions = true)
final class SubmitCommand implements Callable<Integer> {
    @Mixin
    private Output output;

    @Mixin
    private Target target;

    @Parameters(paramLabel = "FILE", description = "The task, in YAML or JSON; paths in it are relative to its folder.")
    private Path file;

    @Option(names = "--task-id", paramLabel = "ID", description = "Instead of the file's task_id.")
    private String taskId;

    @Option(names = "--samples", paramLabel = "N", description = "Instead of the file's num_samples.")
    private Integer samples;

    @Option(
            names = "--poll-interval",
            paramLabel = "SECONDS",
            defaultValue = "1",
            description = "How often the server is asked (default: ${DEFAULT-VALUE}).")
    private double pollInterval;

    @Option(names = "--detach", description = "Do not wait.")
    private boolean detach;

    @Override
    public Integer call() throws InterruptedException {
        if (!(pollInterval > 0)) {
            throw new UserException("--poll-interval: " + pollInterval + " is not a number greater than 0");
        }
        var task = TaskFile.read(file);
        if (taskId != null) {
            task.body().put("task_id", taskId);
        }
        if (samples != null) {
            task.body().put("num_samples", samples);
        }
        try (var client = target.client(output)) {
            var accepted = submit(task, client);
            if (detach) {
                output.answer(accepted);
                output.line("task " + task.id() + " is "
                        + accepted.path("status").asText() + "; polar status " + task.id() + " shows how it goes");
                return 0;
            }
            output.progress("task " + task.id() + " was accepted by " + client.url());
            var done = new TaskWatch(client, output, Duration.ofNanos((long) (pollInterval * 1e9))).await(task.id());
            output.answer(done);
            ResultTable.print(done, output);
            output.line("task " + task.id() + " is " + done.path("status").asText());
            var fault = task.neverStarted(done);
            if (fault.isPresent()) {
                throw fault.get();
            }
            return ResultTable.allCompleted(done) ? 0 : 1;
        }
    }

    /** @throws UserException with the server's reason where it refuses the task */
    static com.fasterxml.jackson.databind.JsonNode submit(TaskFile task, RolloutClient client)
            throws InterruptedException {
        if (isLocal(client.url())) {
            task.checkSources();
        }
        var answer = client.submit(task.body());
        if (!answer.ok()) {
            throw task.refusal(answer.detail());
        }
        return answer.body();
    }

    private static boolean isLocal(String url) {
        var host = URI.create(url).getHost();
        return host.equals("localhost") || host.startsWith("127.") || host.equals("[::1]");
    }
}
