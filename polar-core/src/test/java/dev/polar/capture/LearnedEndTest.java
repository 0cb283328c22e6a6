package dev.polar.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.polar.topology.GatewayConfig.Persistence;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The end-of-turn id that a growing record has learned is what a count of all its answers gives, at each moment. */
class LearnedEndTest {
    @TempDir
    Path folder;

    private static OptionalInt counted(Map<Integer, Integer> ends) {
        int most = ends.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        var leaders = ends.entrySet().stream()
                .filter(count -> count.getValue() == most)
                .mapToInt(Map.Entry::getKey)
                .toArray();
        return leaders.length == 1 ? OptionalInt.of(leaders[0]) : OptionalInt.empty();
    }

    @Test
    void it_is_the_count_of_all_answers_that_the_template_ended_after_each_and_when_read_back() {
        try (var store = new RecordStore(folder, Persistence.DEFAULT)) {
            var calls = new RecordedCalls(store.create("s", "t"));
            var answers = calls.recorder().answers();
            assertThat(answers.endOfTurn()).isEmpty();
            var ends = new HashMap<Integer, Integer>();
            var random = new Random(11);
            for (int i = 0; i < 500; i++) {
                int end = random.nextInt(6);
                var call = calls.call(new int[] {i}, new int[] {7, end});
                switch (random.nextInt(5)) {
                    case 0 -> call.cut();
                    case 1 -> call.stoppedByString("7");
                    case 2 -> call.stoppedByCallersId(end);
                    default -> ends.merge(end, 1, Integer::sum);
                }
                call.record();
                assertThat(answers.endOfTurn())
                        .as("after " + (i + 1) + " answers")
                        .isEqualTo(counted(ends));
            }
            store.unload("s");
            assertThat(store.find("s").orElseThrow().answers().endOfTurn()).isEqualTo(counted(ends));
        }
    }
}
