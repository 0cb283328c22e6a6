package dev.polar.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.sim.Policy;
import dev.polar.wire.Json;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A task of one session for an agent, and what the model says in it.
 *
 * @param name in its id
 * @param model where the model would be
 * @param builder {@code builder.strategy}
 * @param settings besides the agent's own
 * @param env besides the agent's own
 * @param toolServers {@code agent.mcp_servers}
 * @param skills {@code agent.skills_path}, or null
 * @param upload a prepare action besides, or null
 * @param agentTimeout seconds, or null
 */
record AgentTask(
        AgentUnderTest agent,
        String name,
        Policy model,
        String instruction,
        String builder,
        Map<String, Object> settings,
        Map<String, String> env,
        List<Map<String, Object>> toolServers,
        String skills,
        Map<String, Object> upload,
        Double agentTimeout) {
    /** What each session finds in its folder. */
    private static final String PREPARE = """
            mkdir -p "$SESSION_DIR/workspace" && cd "$SESSION_DIR/workspace" && \
            printf 'Add up one.txt and two.txt.\\n' > notes.txt && printf '17\\n' > one.txt && printf '25\\n' > two.txt
            """;

    private static final String TEST = "[ \"$(cat sum.txt)\" = 42 ] && echo PASSED sum || echo FAILED sum";
    private static final double TIMEOUT_SECONDS = 420 + EngineTrouble.patience();

    static AgentTask of(AgentUnderTest agent, String name, Policy model) {
        return new AgentTask(
                agent,
                name,
                model,
                "Read notes.txt and do what it says: the sum goes into sum.txt.",
                "prefix_merging",
                Map.of(),
                Map.of(),
                List.of(),
                null,
                null,
                null);
    }

    AgentTask builtBy(String other) {
        return new AgentTask(
                agent, name, model, instruction, other, settings, env, toolServers, skills, upload, agentTimeout);
    }

    AgentTask withInstruction(String other) {
        return new AgentTask(
                agent, name, model, other, builder, settings, env, toolServers, skills, upload, agentTimeout);
    }

    AgentTask withSettings(Map<String, Object> other) {
        return new AgentTask(
                agent, name, model, instruction, builder, other, env, toolServers, skills, upload, agentTimeout);
    }

    /** @param sampling of each call, whatever the agent asks for */
    AgentTask withSampling(Map<String, Object> sampling) {
        return withSettings(Map.of("model_kwargs", sampling));
    }

    AgentTask withEnv(Map<String, String> other) {
        return new AgentTask(
                agent, name, model, instruction, builder, settings, other, toolServers, skills, upload, agentTimeout);
    }

    AgentTask withToolServer(Map<String, Object> server) {
        return new AgentTask(
                agent, name, model, instruction, builder, settings, env, List.of(server), skills, upload, agentTimeout);
    }

    AgentTask withSkills(String folder) {
        return new AgentTask(
                agent, name, model, instruction, builder, settings, env, toolServers, folder, upload, agentTimeout);
    }

    AgentTask withUpload(Path source, String target) {
        return new AgentTask(
                agent,
                name,
                model,
                instruction,
                builder,
                settings,
                env,
                toolServers,
                skills,
                Map.of("type", "upload_file", "source", source.toString(), "target", target),
                agentTimeout);
    }

    AgentTask within(double agentTimeoutSeconds) {
        return new AgentTask(
                agent,
                name,
                model,
                instruction,
                builder,
                settings,
                env,
                toolServers,
                skills,
                upload,
                agentTimeoutSeconds);
    }

    /**
     * As it is submitted.
     *
     * @param key stands in each of the session's requests to the engine, as {@code user}: so the simulator knows whose they are
     */
    ObjectNode json(String key) {
        var task = Json.MAPPER.createObjectNode();
        task.put("task_id", key).put("instruction", instruction).put("timeout_seconds", TIMEOUT_SECONDS);
        var prepare = new ArrayList<Map<String, Object>>();
        prepare.add(Map.of("type", "exec", "command", PREPARE, "cwd", "/polar/session"));
        if (upload != null) {
            prepare.add(upload);
        }
        task.putPOJO("runtime", Map.of("backend", "local", "workdir", "/polar/session/workspace", "prepare", prepare));
        var all = new HashMap<>(agent.settings());
        all.putAll(settings);
        var kwargs = new HashMap<String, Object>(Map.of("user", key));
        if (all.get("model_kwargs") instanceof Map<?, ?> sampling) {
            sampling.forEach((name, value) -> kwargs.put((String) name, value));
        }
        all.put("model_kwargs", kwargs);
        var variables = new HashMap<>(agent.env());
        variables.putAll(env);
        var spec = new LinkedHashMap<String, Object>();
        spec.put("harness", agent.harness());
        spec.put("model_name", "sim");
        spec.put("settings", all);
        spec.put("env", variables);
        spec.put("mcp_servers", toolServers);
        spec.put("skills_path", skills);
        task.putPOJO("agent", spec);
        task.putPOJO("builder", Map.of("strategy", builder));
        task.putPOJO(
                "evaluator",
                Map.of(
                        "strategy",
                        "test_on_output",
                        "config",
                        Map.of(
                                "repo_dir",
                                "/polar/session/workspace",
                                "test_command",
                                TEST,
                                "expected_output_json",
                                Map.of("sum", "PASSED"))));
        task.putPOJO("metadata", agentTimeout == null ? Map.of() : Map.of("agent_timeout", agentTimeout));
        return Json.MAPPER.valueToTree(task);
    }
}
