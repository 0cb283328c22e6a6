package dev.polar.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.polar.gateway.Deadline.Kind;
import dev.polar.gateway.SessionStopped.Reason;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.ExtensionException.Category;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StopSignalTest {
    private final StopSignal stop = new StopSignal();

    @Test
    void a_deadline_ends_the_section_and_leaves_the_thread_uninterrupted() {
        var deadline = Deadline.in(Kind.BUDGET, 0.02);

        var stopped = catchThrowableOfType(
                SessionStopped.class, () -> stop.within(deadline, () -> new CountDownLatch(1).await()));

        assertThat(stopped.reason()).isEqualTo(Reason.DEADLINE);
        assertThat(stopped.deadline()).isSameAs(deadline);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void a_section_whose_deadline_has_passed_is_not_entered() {
        var entered = new AtomicBoolean();

        assertThatThrownBy(() -> stop.within(
                        new Deadline(Kind.BUDGET, java.time.Duration.ZERO, System.nanoTime()), () -> entered.set(true)))
                .isInstanceOf(SessionStopped.class);
        assertThat(entered).isFalse();
    }

    @Test
    void a_cancel_outside_of_sections_interrupts_nothing_and_stops_the_next_one() {
        stop.cancel(Reason.CANCELLED);
        stop.cancel(Reason.NODE_STOPPED);

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        var stopped = catchThrowableOfType(SessionStopped.class, () -> stop.within(Deadline.NONE, () -> {}));
        assertThat(stopped.reason()).isEqualTo(Reason.CANCELLED);
    }

    @Test
    void a_step_that_swallows_the_interrupt_or_wraps_it_was_stopped_all_the_same() throws InterruptedException {
        for (boolean wraps : new boolean[] {true, false}) {
            var signal = new StopSignal();
            var inside = new CountDownLatch(1);
            var canceller = Thread.ofVirtual().start(() -> {
                try {
                    inside.await();
                    signal.cancel(Reason.CANCELLED);
                } catch (InterruptedException impossible) {
                    throw new IllegalStateException(impossible);
                }
            });
            assertThatThrownBy(() -> signal.within(Deadline.NONE, () -> {
                        inside.countDown();
                        try {
                            new CountDownLatch(1).await();
                        } catch (InterruptedException swallowed) {
                            if (wraps) {
                                throw new ExtensionException(Category.INFRASTRUCTURE, "interrupted", swallowed);
                            }
                        }
                    }))
                    .isInstanceOf(SessionStopped.class);
            canceller.join();
        }
    }

    @Test
    void what_a_step_throws_by_itself_is_passed_on() {
        assertThatThrownBy(() -> stop.within(Deadline.NONE, () -> {
                    throw new ExtensionException(Category.REQUEST, "no such thing");
                }))
                .isInstanceOf(ExtensionException.class)
                .hasMessage("no such thing");
    }
}
