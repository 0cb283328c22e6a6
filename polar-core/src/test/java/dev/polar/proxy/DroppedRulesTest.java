package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.polar.capture.Detokenizer;
import dev.polar.capture.RecordStore;
import dev.polar.sim.SimOptions;
import dev.polar.spi.CallLabel;
import dev.polar.spi.Sampling;
import dev.polar.spi.SessionInfo;
import dev.polar.topology.GatewayConfig.Persistence;
import dev.polar.trajectory.PrefixMergingBuilder;
import dev.polar.trajectory.PrefixMergingConfig;
import dev.polar.trajectory.SessionOutcome;
import dev.polar.trajectory.TrajectoryAssembler;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the proxy leaves out of requests on purpose is counted, by rule, where the trainer sees it. */
class DroppedRulesTest {
    @TempDir
    private Path records;

    @Test
    void b04_a_trajectory_says_how_many_calls_each_rule_left_something_out_of() throws Exception {
        try (var store = new RecordStore(records, Persistence.DEFAULT);
                var node = new Node(SimOptions.defaults())) {
            var recorder = store.create("s2", "t2");
            var session = new AgentSession("s2", "t2", false, recorder, Sampling.NONE, Map.of());
            session.open();
            node.directory.add("kept", session);
            var ask = "{\"model\":\"any\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]";
            node.answer("/s/kept/v1/chat/completions", ask + ",\"tools\":[],\"tool_choice\":\"auto\"}");
            node.answer("/s/kept/v1/chat/completions", ask + ",\"tools\":[]}");
            node.answer("/s/kept/v1/chat/completions", ask + "}");
            session.close();
            var record = recorder.seal(
                    facts -> facts.stream().map(call -> CallLabel.MAIN).toList(),
                    OptionalInt.empty(),
                    Detokenizer.NONE);
            var built = TrajectoryAssembler.build(new PrefixMergingBuilder(), record, PrefixMergingConfig.DEFAULT);
            var info = new SessionInfo("s2", "t2", "n1", Map.of());
            var models = new SessionOutcome.Models(null, null, null);
            var never = SessionOutcome.of(info, PrefixMergingBuilder.NAME, models, "nothing yet");
            assertThat(TrajectoryAssembler.assemble(never).metadata()).containsEntry("dropped_rules", Map.of());
            assertThat(TrajectoryAssembler.assemble(never.built(record, built)).metadata())
                    .containsEntry("dropped_rules", Map.of("empty_tools", 2, "tool_choice_without_tools", 1));
        }
    }
}
