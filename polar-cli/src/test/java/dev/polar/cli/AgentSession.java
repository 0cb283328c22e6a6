package dev.polar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/**
 * A session that has ended.
 *
 * @param result its SessionResult
 * @param completions its raw record
 */
record AgentSession(String key, JsonNode result, JsonNode completions) {
    /** Fails unless each token in the traces is proved from the raw record and from the simulator's arithmetic. */
    AgentSession proved() {
        assertThat(TraceCheck.problems(result, completions, true)).as(key).isEmpty();
        return this;
    }

    /** Fails unless it is COMPLETED, its agent done, and the file that it was to write is right. */
    AgentSession succeeded() {
        assertThat(result.path("status").asText()).as(toString()).isEqualTo("COMPLETED");
        assertThat(ending()).as(toString()).isEqualTo("done");
        assertThat(result.at("/trajectory/metadata/evaluation/outcome_reward").asDouble())
                .as(toString())
                .isEqualTo(1.0);
        return this;
    }

    /** Fails unless so many sub-agents, told apart, made so many calls together; each has one trace of its own, and the main line is one too. */
    AgentSession delegated(int agents, int calls) {
        assertThat(records("subagent"))
                .as(toString())
                .hasSize(calls)
                .extracting(record -> record.at("/metadata/agent").asText())
                .doesNotContain("")
                .satisfies(seen -> assertThat(seen.stream().distinct()).hasSize(agents));
        assertThat(traces("subagent")).as(toString()).hasSize(agents);
        assertThat(traces("main")).as(toString()).hasSize(1);
        return this;
    }

    /** Fails unless {@code calls} auxiliary ones are on record and none of them earns anything. */
    AgentSession auxiliary(int calls) {
        assertThat(records("auxiliary")).as(toString()).hasSize(calls);
        assertThat(traces("auxiliary")).as(toString()).isEmpty();
        assertThat(stats().path("completions_auxiliary").asInt()).isEqualTo(calls);
        return this;
    }

    String ending() {
        return agentResult().path("ending").asText();
    }

    JsonNode agentResult() {
        return result.at("/trajectory/metadata/agent_result");
    }

    JsonNode stats() {
        return result.at("/trajectory/metadata/reconstruction_stats");
    }

    List<JsonNode> records() {
        var all = new ArrayList<JsonNode>();
        completions.path("completions").forEach(all::add);
        return all;
    }

    /** The records of one role. */
    List<JsonNode> records(String role) {
        return records().stream()
                .filter(record -> record.at("/metadata/role").asText("main").equals(role))
                .toList();
    }

    /** The traces in which a role's answers stand. */
    List<JsonNode> traces(String role) {
        var found = new ArrayList<JsonNode>();
        for (var trace : result.at("/trajectory/traces")) {
            if (trace.at("/metadata/spans/0/role").asText("main").equals(role)) {
                found.add(trace);
            }
        }
        return found;
    }

    /** Ids that train, in all traces. */
    int trained() {
        int trained = 0;
        for (var trace : result.at("/trajectory/traces")) {
            for (var mask : trace.path("loss_mask")) {
                trained += mask.asInt();
            }
        }
        return trained;
    }

    @Override
    public String toString() {
        return key + ": " + result.path("status").asText() + ", "
                + result.path("error").asText() + ", "
                + agentResult() + ", " + stats() + ", "
                + result.at("/trajectory/metadata/evaluation");
    }
}
