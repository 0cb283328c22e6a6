package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.polar.capture.CompletionEntry;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Checks on recorded ids. */
final class Chains {
    private Chains() {}

    /** Each prompt starts with all that was asked and sampled before it. */
    static void assertOneChain(List<CompletionEntry> entries, int completions) {
        assertThat(entries).hasSize(completions);
        for (int turn = 1; turn < completions; turn++) {
            var before = entries.get(turn - 1);
            var known = IntStream.concat(Arrays.stream(before.promptIds()), Arrays.stream(before.sampledIds()))
                    .toArray();
            assertThat(Arrays.copyOf(entries.get(turn).promptIds(), known.length))
                    .as("the start of prompt %d", turn)
                    .isEqualTo(known);
        }
    }
}
