package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.polar.inference.Delta;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class DeltaQueueTest {
    @Test
    void what_comes_after_a_wait_in_vain_is_taken_once() throws InterruptedException {
        var deltas = new DeltaQueue();
        var nothing = deltas.poll(Duration.ZERO);

        deltas.accept(new Delta.Text("five"));

        assertThat(nothing).isEmpty();
        assertThat(deltas.poll(Duration.ZERO)).containsExactly(new Delta.Text("five"));
        assertThat(deltas.poll(Duration.ZERO)).isEmpty();
    }
}
