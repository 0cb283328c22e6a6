package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.polar.capture.RecordStore;
import dev.polar.inference.EngineDetokenizer;
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
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a session's prompts were made, where the trainer sees it: with a record in a file, sealed and built. */
class ContinuationStatsTest {
    private static final int TURNS = 4;

    @TempDir
    private Path records;

    private Map<String, Object> metadata(String name, Node.Setup setup, int traces) throws Exception {
        try (var store = new RecordStore(records, Persistence.DEFAULT);
                var node = new Node(SimOptions.builder().nonCanonical(1).seed(2).build(), setup)) {
            var recorder = store.create(name, "t2");
            var session = new AgentSession(name, "t2", false, recorder, Sampling.NONE, Map.of());
            session.open();
            node.directory.add(name, session);
            var history = JsonNodeFactory.instance.arrayNode();
            for (int turn = 0; turn < TURNS; turn++) {
                history.addObject().put("role", "user").put("content", "Go on.");
                var body = JsonNodeFactory.instance.objectNode().put("model", "any");
                body.set("messages", history);
                history.add(node.answer("/s/" + name + "/v1/chat/completions", Bodies.text(body))
                        .at("/choices/0/message"));
            }
            session.close();
            var record = recorder.seal(
                    facts -> facts.stream().map(call -> CallLabel.MAIN).toList(),
                    OptionalInt.empty(),
                    new EngineDetokenizer(node.client, null));
            var built = TrajectoryAssembler.build(new PrefixMergingBuilder(), record, PrefixMergingConfig.DEFAULT);
            assertThat(built.traces()).hasSize(traces);
            var models = new SessionOutcome.Models(null, null, null, Map.of("mode", "told", "keep", false), null);
            var info = new SessionInfo(name, "t2", "n1", Map.of());
            var outcome = SessionOutcome.of(info, PrefixMergingBuilder.NAME, models, "nothing yet")
                    .built(record, built);
            return TrajectoryAssembler.assemble(outcome).metadata();
        }
    }

    @Test
    void an_exact_session_is_one_trace_and_says_that_all_later_turns_went_on_from_ids() throws Exception {
        var continuation = metadata("exact", Node.Setup.DEFAULT.exact(), 1).get("continuation");
        assertThat(continuation)
                .isEqualTo(Map.of(
                        "mode",
                        "told",
                        "keep",
                        false,
                        "turns",
                        TURNS,
                        "exact",
                        TURNS - 1,
                        "first",
                        1,
                        "spliced",
                        TURNS - 1,
                        "partial",
                        0,
                        "none",
                        0,
                        "why",
                        Map.of(),
                        "texts",
                        Map.of("same_text", TURNS - 1)));
    }

    @Test
    void a_plain_session_has_a_trace_for_each_turn_and_says_why() throws Exception {
        var metadata = metadata("plain", Node.Setup.DEFAULT, TURNS);
        assertThat(metadata.get("continuation"))
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsEntry("exact", 0)
                .containsEntry("none", TURNS)
                .containsEntry("why", Map.of("plain", TURNS));
    }

    @Test
    void a_session_that_never_ran_has_counts_of_nothing() {
        var info = new SessionInfo("s", "t", "n", Map.of());
        var never = SessionOutcome.of(
                info, PrefixMergingBuilder.NAME, new SessionOutcome.Models(null, null, null), "nothing");
        assertThat(TrajectoryAssembler.assemble(never).metadata().get("continuation"))
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsEntry("turns", 0)
                .containsEntry("why", Map.of())
                .doesNotContainKey("mode");
    }
}
