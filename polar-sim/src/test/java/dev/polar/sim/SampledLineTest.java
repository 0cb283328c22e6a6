package dev.polar.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SampledLineTest {
    private static SampledLine line(int limit) {
        int[] plan = SimTokenizer.shared().encode("one two three four five six");
        return new SampledLine(SimTokenizer.shared(), new ChatRequest(Json.object()), new int[] {1}, limit, () -> plan);
    }

    @Test
    void new_weights_begin_a_span_where_they_first_sample() {
        SampledLine line = line(5);
        line.step(Scheduler.Stop.NONE, "a");
        line.step(Scheduler.Stop.NONE, "a");
        line.step(Scheduler.Stop.NONE, "b");
        assertThat(line.versions())
                .containsExactly(new SampledLine.WeightSpan("a", 0), new SampledLine.WeightSpan("b", 2));
    }

    @Test
    void a_stop_with_the_token_keeps_it_and_a_stop_at_once_samples_nothing() {
        SampledLine with = line(5);
        assertThat(with.step(Scheduler.Stop.WITH_TOKEN, "a").finish()).isEqualTo(Finish.ABORT);
        assertThat(with.size()).isEqualTo(1);
        SampledLine atOnce = line(5);
        assertThat(atOnce.step(Scheduler.Stop.AT_ONCE, "a").hasToken()).isFalse();
        assertThat(atOnce.finish()).isEqualTo(Finish.ABORT);
        assertThat(atOnce.size()).isZero();
    }

    @Test
    void the_limit_ends_it_by_length() {
        SampledLine line = line(2);
        assertThat(line.step(Scheduler.Stop.NONE, "a").finish()).isNull();
        assertThat(line.step(Scheduler.Stop.NONE, "a").finish()).isEqualTo(Finish.LENGTH);
    }
}
