package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.polar.spi.Sampling;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AgentSessionTest {
    private static AgentSession session() {
        var session = new AgentSession("s", "t", false, new MemoryRecorder(), Sampling.NONE, Map.of());
        session.open();
        return session;
    }

    @Test
    void a_session_takes_no_calls_before_it_is_open_and_after_it_is_closed() throws InterruptedException {
        var session = new AgentSession("s", "t", false, new MemoryRecorder(), Sampling.NONE, Map.of());
        assertThatExceptionOfType(AgentSession.SessionClosedException.class).isThrownBy(() -> session.begin(() -> {}));
        session.open();
        session.begin(() -> {}).close();
        session.close();
        assertThatExceptionOfType(AgentSession.SessionClosedException.class).isThrownBy(() -> session.begin(() -> {}));
    }

    @Test
    void e20_each_of_several_closers_waits_until_the_last_call_has_ended() throws InterruptedException {
        var session = session();
        var aborted = new CountDownLatch(2);
        var one = session.begin(aborted::countDown);
        var two = session.begin(() -> {});
        var closed = new AtomicInteger();
        var closers = new ArrayList<Thread>();
        for (int i = 0; i < 2; i++) {
            closers.add(Thread.ofVirtual().start(() -> {
                try {
                    session.close();
                    closed.incrementAndGet();
                } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                }
            }));
        }
        aborted.await();
        one.close();
        one.close();
        Thread.sleep(50);
        assertThat(closed).hasValue(0);
        two.close();
        for (var closer : closers) {
            closer.join();
        }
        assertThat(closed).hasValue(2);
    }

    @Test
    void e20_a_closer_that_was_interrupted_leaves_the_session_closable() throws InterruptedException {
        var session = session();
        var call = session.begin(() -> {});
        var closer = Thread.ofVirtual().start(() -> {
            try {
                session.close();
            } catch (InterruptedException expected) {
                // the test's
            }
        });
        closer.interrupt();
        closer.join();
        assertThat(session.isOpen()).isFalse();
        call.close();
        session.close();
    }

    @Test
    void e20_no_call_that_begins_while_the_session_closes_is_missed() throws InterruptedException {
        for (int round = 0; round < 200; round++) {
            var session = session();
            var inFlight = new AtomicInteger();
            var callers = new ArrayList<Thread>();
            for (int i = 0; i < 8; i++) {
                callers.add(Thread.ofVirtual().start(() -> {
                    var abort = new CountDownLatch(1);
                    try (var _ = session.begin(abort::countDown)) {
                        inFlight.incrementAndGet();
                        abort.await();
                        inFlight.decrementAndGet();
                    } catch (AgentSession.SessionClosedException late) {
                        // it came after the close
                    } catch (InterruptedException never) {
                        Thread.currentThread().interrupt();
                    }
                }));
            }
            session.close();
            assertThat(inFlight).hasValue(0);
            for (var caller : callers) {
                caller.join();
            }
        }
    }
}
