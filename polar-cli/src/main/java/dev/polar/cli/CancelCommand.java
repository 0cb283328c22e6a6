package dev.polar.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code polar cancel}. */
@Command(name = "cancel", description = "Cancel a task and its sessions.", mixinStandardHelpOptions = true)
final class CancelCommand implements Callable<Integer> {
    @Mixin
    private Output output;

    @Mixin
    private Target target;

    @Parameters(paramLabel = "TASK", description = "The task's id.")
    private String taskId;

    @Override
    public Integer call() throws InterruptedException {
        try (var client = target.client(output)) {
            var answer = client.cancel(taskId);
            if (!answer.ok()) {
                throw new UserException("task '" + taskId + "': " + answer.told(client.url()));
            }
            output.answer(answer.body());
            output.line("task " + taskId + " is " + answer.body().path("status").asText());
            return 0;
        }
    }
}
