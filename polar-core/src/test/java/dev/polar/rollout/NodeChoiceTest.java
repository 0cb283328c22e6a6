package dev.polar.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.polar.rollout.NodeChoice.Candidate;
import dev.polar.spi.NodeStageMetrics;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NodeChoiceTest {
    private static Candidate node(String id, NodeStageMetrics metrics) {
        return new Candidate(new NodeRow(id, "http://" + id, 4, 2, 4, 30, metrics, false, false, 0), 0, 0);
    }

    private static String chosen(Candidate... candidates) {
        return NodeChoice.choose(List.of(candidates)).orElseThrow().node().nodeId();
    }

    @Test
    void run_pressure_decides_before_postrun_and_postrun_before_init() {
        var running = node("running", new NodeStageMetrics(0, 0, 0, 1, 0, 0));
        var evaluating = node("evaluating", new NodeStageMetrics(0, 0, 0, 0, 0, 4));
        var preparing = node("preparing", new NodeStageMetrics(9, 4, 0, 0, 0, 0));
        assertThat(chosen(running, evaluating, preparing)).isEqualTo("preparing");
        assertThat(chosen(running, evaluating)).isEqualTo("evaluating");
    }

    @Test
    void warm_sessions_press_like_running_ones() {
        assertThat(chosen(
                        node("a", new NodeStageMetrics(0, 0, 2, 0, 0, 0)),
                        node("b", new NodeStageMetrics(0, 0, 0, 1, 0, 0))))
                .isEqualTo("b");
    }

    @Test
    void what_was_just_given_counts_before_a_heartbeat_says_so() {
        var candidates = new ArrayList<>(List.of(node("a", NodeStageMetrics.IDLE), node("b", NodeStageMetrics.IDLE)));
        var given = new ArrayList<String>();
        for (int i = 0; i < 8; i++) {
            var choice = NodeChoice.choose(candidates).orElseThrow();
            given.add(choice.node().nodeId());
            candidates.replaceAll(candidate -> candidate == choice ? candidate.withOneMore() : candidate);
        }
        assertThat(given).containsExactly("a", "b", "a", "b", "a", "b", "a", "b");
    }

    @Test
    void a_node_that_is_full_gets_nothing_more() {
        var candidate = node("a", NodeStageMetrics.IDLE);
        int room = 0;
        while (NodeChoice.choose(List.of(candidate)).isPresent()) {
            candidate = candidate.withOneMore();
            room++;
        }
        assertThat(room).isEqualTo(2 * 4 + 2 + 4);
    }
}
