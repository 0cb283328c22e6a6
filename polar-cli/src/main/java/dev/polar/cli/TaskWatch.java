package dev.polar.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Waits for a task's end and says on the way where its sessions are. */
final class TaskWatch {
    private static final Set<String> OPEN = Set.of("running", "cancelling");
    private static final Duration OUTAGE = Duration.ofMinutes(2);

    private final RolloutClient client;
    private final Output output;
    private final Duration pollInterval;
    private final long started = System.nanoTime();
    private String lastLine = "";

    TaskWatch(RolloutClient client, Output output, Duration pollInterval) {
        this.client = client;
        this.output = output;
        this.pollInterval = pollInterval;
    }

    /**
     * The task's status once it is over.
     *
     * @throws UserException where the server does not know it, or stays away for long
     */
    JsonNode await(String taskId) throws InterruptedException {
        var lastSeen = System.nanoTime();
        while (true) {
            showSessions(taskId);
            var task = client.probe("/rollout/task/" + RolloutClient.encoded(taskId));
            if (task.isPresent() && task.get().ok()) {
                lastSeen = System.nanoTime();
                if (!OPEN.contains(task.get().body().path("status").asText())) {
                    showSessions(taskId);
                    return task.get().body();
                }
            } else if (task.isPresent() && task.get().status() == 404) {
                throw new UserException("task '" + taskId + "': " + client.url() + " does not know it");
            } else if (System.nanoTime() - lastSeen > OUTAGE.toNanos()) {
                throw new UserException(client.url() + " has not answered for " + OUTAGE.toSeconds()
                        + " s; the task may go on: ask later with polar status " + taskId);
            }
            Thread.sleep(pollInterval);
        }
    }

    private void showSessions(String taskId) throws InterruptedException {
        client.probe("/tasks/" + RolloutClient.encoded(taskId) + "/sessions")
                .filter(RolloutClient.Answer::ok)
                .ifPresent(this::show);
    }

    private void show(RolloutClient.Answer answer) {
        var states = new TreeMap<Integer, String>();
        for (var session : answer.body().path("sessions")) {
            states.put(session.path("sample").asInt(), session.path("status").asText());
        }
        var line = states.values().stream()
                .map(state -> String.format("%-12s", state.toLowerCase(java.util.Locale.ROOT)))
                .collect(Collectors.joining(" "))
                .stripTrailing();
        if (!line.equals(lastLine) && !line.isEmpty()) {
            lastLine = line;
            output.progress(String.format("%6.1f s  %s", (System.nanoTime() - started) / 1e9, line));
        }
    }
}
