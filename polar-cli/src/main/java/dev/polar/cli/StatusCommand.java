package dev.polar.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code polar status}. */
@Command(
        name = "status",
        description = "Show a task, or the server's tasks and nodes.",
        mixinStandardHelpOptions = true)
final class StatusCommand implements Callable<Integer> {
    @Mixin
    private Output output;

    @Mixin
    private Target target;

    @Parameters(arity = "0..1", paramLabel = "TASK", description = "A task's id; without it, an overview.")
    private String taskId;

    @Override
    public Integer call() throws InterruptedException {
        try (var client = target.client(output)) {
            var answer = taskId == null ? client.get("/rollout/status") : client.task(taskId);
            if (!answer.ok()) {
                throw new UserException((taskId == null ? "" : "task '" + taskId + "': ") + answer.told(client.url()));
            }
            output.answer(answer.body());
            if (taskId == null) {
                overview(answer.body());
            } else {
                output.line("task " + taskId + " is "
                        + answer.body().path("status").asText() + ", "
                        + answer.body().path("completed_sessions").asInt() + " of "
                        + answer.body().path("total_sessions").asInt() + " sessions are over");
                ResultTable.print(answer.body(), output);
            }
            return 0;
        }
    }

    private void overview(JsonNode status) {
        output.line(status.path("pipeline").path("pending_sessions").asInt() + " sessions are not over");
        for (var node : status.path("nodes").path("nodes")) {
            output.line("node " + node.path("node_id").asText() + "  "
                    + (node.path("healthy").asBoolean() ? output.good("healthy") : output.bad("stale"))
                    + (node.path("draining").asBoolean() ? "  draining" : "") + "  "
                    + node.path("gateway_url").asText());
        }
        status.path("tasks")
                .properties()
                .forEach(task -> output.line(
                        "task " + task.getKey() + "  " + task.getValue().asText()));
    }
}
