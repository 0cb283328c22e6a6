package dev.polar.rollout;

import dev.polar.server.ControlRoute;
import dev.polar.server.ProblemException;
import dev.polar.server.Role;
import dev.polar.server.Waiting;
import dev.polar.spi.TaskState;
import dev.polar.wire.BindingException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** What trainers ask. */
@ApplicationScoped
@Path(Role.ROLLOUT_BASE)
public class TasksResource {
    private static final int LARGEST_TASK_BYTES = 64 << 20;
    private static final int MOST_LISTED = 1000;
    private static final int LISTED = 200;

    @Inject
    private RolloutService rollout;

    @POST
    @ControlRoute
    @Path("rollout/task/submit")
    @Operation(summary = "Submit a task; answers at once")
    public void submit(InputStream body, @Suspended AsyncResponse response) {
        Waiting.answer(response, () -> {
            var server = rollout.server();
            var bytes = body.readNBytes(LARGEST_TASK_BYTES + 1);
            if (bytes.length > LARGEST_TASK_BYTES) {
                throw new ProblemException(
                        413,
                        "the task is larger than " + (LARGEST_TASK_BYTES >> 20)
                                + " MiB: upload large inputs with runtime.prepare");
            }
            var request = server.binding().bind(bytes);
            if (request.callbackUrl() != null && !server.callbackHosts().allows(request.callbackUrl())) {
                throw new BindingException(
                        "callback_url",
                        "'" + request.callbackUrl() + "' goes to a host that is not allowed (rollout.callback_allow: "
                                + server.callbackHosts() + ")");
            }
            if (server.checksAssets()) {
                Assets.check(request.runtime());
            }
            server.tasks().submit(request);
            return json(state(request.taskId(), TaskState.RUNNING));
        });
    }

    @GET
    @Path("rollout/task/{id}")
    @Operation(summary = "A task's state, with the results that are there")
    public void status(@PathParam("id") String taskId, @Suspended AsyncResponse response) {
        Waiting.answer(response, () -> {
            var document = rollout.server().documents().status(taskId).orElseThrow(TasksResource::unknownTask);
            return Response.ok((StreamingOutput) document::writeTo)
                    .type(MediaType.APPLICATION_JSON_TYPE)
                    .header(HttpHeaders.CONTENT_LENGTH, document.length())
                    .build();
        });
    }

    @DELETE
    @Path("rollout/task/{id}")
    @Operation(summary = "Cancel a task and its sessions")
    public void cancel(
            @PathParam("id") String taskId,
            @QueryParam("register_if_missing") String registerIfMissing,
            @Suspended AsyncResponse response) {
        Waiting.answer(response, () -> {
            var state = rollout.server()
                    .tasks()
                    .cancel(taskId, flag(registerIfMissing))
                    .orElseThrow(TasksResource::unknownTask);
            return json(state(taskId, state));
        });
    }

    @GET
    @Path("rollout/status")
    @Operation(summary = "All tasks' states, what waits, the nodes")
    public void overview(@Suspended AsyncResponse response) {
        Waiting.answer(response, () -> {
            var server = rollout.server();
            var answer = new LinkedHashMap<String, Object>();
            answer.put("tasks", server.overview().states());
            answer.put("pipeline", Map.of("pending_sessions", server.overview().pendingSessions()));
            answer.put("nodes", Map.of("nodes", server.nodes().all()));
            return json(answer);
        });
    }

    @GET
    @Path("tasks")
    @Operation(summary = "Tasks, newest first")
    public void list(
            @QueryParam("status") String status,
            @QueryParam("harness") String harness,
            @QueryParam("since") String since,
            @QueryParam("limit") String limit,
            @Suspended AsyncResponse response) {
        Waiting.answer(response, () -> {
            var filter = new TaskStore.Filter(
                    blank(status) ? null : TaskState.of(status),
                    blank(harness) ? null : harness,
                    blank(since) ? null : number("since", since),
                    blank(limit) ? LISTED : limit(limit));
            var tasks = rollout.server().overview().list(filter);
            return json(Map.of("tasks", tasks.stream().map(TasksResource::view).toList()));
        });
    }

    @GET
    @Path("tasks/{id}/sessions")
    @Operation(summary = "All attempts of a task's samples")
    public void sessions(@PathParam("id") String taskId, @Suspended AsyncResponse response) {
        Waiting.answer(response, () -> {
            var rows = rollout.server().overview().attempts(taskId).orElseThrow(TasksResource::unknownTask);
            var answer = new LinkedHashMap<String, Object>();
            answer.put("task_id", taskId);
            answer.put("sessions", rows.stream().map(TasksResource::view).toList());
            return json(answer);
        });
    }

    private static Map<String, Object> view(TaskStore.Listed listed) {
        var task = listed.task();
        var view = new LinkedHashMap<String, Object>();
        view.put("task_id", task.taskId());
        view.put("status", task.state());
        view.put("harness", task.harness());
        view.put("model", task.model());
        view.put("num_samples", task.numSamples());
        view.put("completed_sessions", listed.finished());
        view.put("errored_sessions", listed.errored());
        view.put("mean_reward", listed.meanReward());
        view.put("mean_traces", listed.meanTraces());
        view.put("mean_completions", listed.meanCompletions());
        view.put("created_at", task.createdAt());
        view.put("updated_at", task.updatedAt());
        view.put("source", task.source());
        return view;
    }

    private static Map<String, Object> view(SessionRow session) {
        var view = new LinkedHashMap<String, Object>();
        view.put("session_id", session.sessionId());
        view.put("status", session.status());
        view.put("node_id", session.nodeId());
        view.put("sample", session.sample());
        view.put("attempt", session.attempt());
        view.put("reward", session.reward());
        view.put("traces", session.traces());
        view.put("completions", session.completions());
        view.put("error", session.error());
        view.put("place", session.place().stored());
        view.put("created_at", session.createdAt());
        view.put("finished_at", session.finishedAt());
        return view;
    }

    private static Map<String, Object> state(String taskId, TaskState state) {
        var answer = new LinkedHashMap<String, Object>();
        answer.put("task_id", taskId);
        answer.put("status", state);
        return answer;
    }

    private static Response json(Object body) {
        return Response.ok(body, MediaType.APPLICATION_JSON_TYPE).build();
    }

    private static ProblemException unknownTask() {
        return new ProblemException(404, "Task not found");
    }

    private static boolean blank(String text) {
        return text == null || text.isBlank();
    }

    /** What public clients write for true. */
    private static boolean flag(String text) {
        return !blank(text)
                && List.of("true", "1", "yes", "on").contains(text.strip().toLowerCase(java.util.Locale.ROOT));
    }

    private static double number(String key, String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException notANumber) {
            throw new ProblemException(422, key + ": '" + text + "' must be a number of epoch seconds");
        }
    }

    private static int limit(String text) {
        try {
            int limit = Integer.parseInt(text.strip());
            if (limit >= 1 && limit <= MOST_LISTED) {
                return limit;
            }
        } catch (NumberFormatException notANumber) {
            // refused below, with the value
        }
        throw new ProblemException(422, "limit: '" + text + "' must be an integer in 1.." + MOST_LISTED);
    }
}
