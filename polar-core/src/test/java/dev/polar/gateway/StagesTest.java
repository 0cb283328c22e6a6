package dev.polar.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.polar.spi.NodeStageMetrics;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class StagesTest {
    @Test
    void higher_priority_enters_init_first_and_equals_enter_by_arrival() throws InterruptedException {
        var stages = new Stages(1, 9, 1, 9);
        var order = Collections.synchronizedList(new ArrayList<String>());
        var blocker = stages.arrive(0);
        blocker.awaitInit();
        var threads = new ArrayList<Thread>();
        for (var name : List.of("0a", "5a", "0b", "9", "5b")) {
            var place = stages.arrive(name.charAt(0) - '0');
            threads.add(start(() -> {
                try (place) {
                    place.awaitInit();
                    order.add(name);
                }
            }));
        }
        await().until(() -> stages.metrics().initQueueDepth() == 5);

        blocker.close();
        join(threads);

        assertThat(order).containsExactly("9", "5a", "5b", "0a", "0b");
    }

    @Test
    void init_slots_are_given_only_while_initialising_and_ready_stay_under_buffer_and_free_run_slots()
            throws InterruptedException {
        var stages = new Stages(8, 1, 8, 1);
        var running = stages.arrive(0);
        running.awaitInit();
        running.awaitRun();
        // The one run slot is taken: one session may initialise for the buffer, the other two may not.
        var go = new CountDownLatch(1);
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < 3; i++) {
            var place = stages.arrive(0);
            threads.add(start(() -> {
                try (place) {
                    place.awaitInit();
                    go.await();
                    place.awaitRun();
                }
            }));
        }
        await().until(() -> stages.metrics().initQueueDepth() == 2);
        assertThat(stages.metrics().initInflight()).isEqualTo(1);

        go.countDown();
        await().until(() -> stages.metrics().readyDepth() == 1);
        assertThat(stages.metrics()).isEqualTo(new NodeStageMetrics(2, 0, 1, 1, 0, 0));

        running.close();
        join(threads);
        assertThat(stages.metrics()).isEqualTo(NodeStageMetrics.IDLE);
    }

    @Test
    void a_full_postrun_stage_keeps_no_run_slot() throws InterruptedException {
        var stages = new Stages(1, 1, 1, 1);
        var evaluating = stages.arrive(0);
        evaluating.awaitInit();
        evaluating.awaitRun();
        evaluating.awaitPostrun();
        var waiting = stages.arrive(0);
        waiting.awaitInit();
        waiting.awaitRun();
        var thread = start(() -> {
            try (waiting) {
                waiting.awaitPostrun();
            }
        });
        await().until(() -> stages.metrics().postrunQueueDepth() == 1);

        var next = stages.arrive(0);
        next.awaitInit();
        next.awaitRun();

        assertThat(stages.metrics()).isEqualTo(new NodeStageMetrics(0, 0, 0, 1, 1, 1));
        next.close();
        evaluating.close();
        thread.join();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void f02_no_slot_leaks_and_no_limit_breaks_whatever_fails_or_is_interrupted(long seed) throws InterruptedException {
        var random = new Random(seed);
        var stages = new Stages(3, 2, 2, 1);
        var inits = new AtomicInteger();
        var runs = new AtomicInteger();
        var postruns = new AtomicInteger();
        var broken = Collections.synchronizedList(new ArrayList<String>());
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < 200; i++) {
            int failsAt = random.nextInt(8);
            var place = stages.arrive(random.nextInt(3));
            threads.add(start(() -> {
                try (place) {
                    place.awaitInit();
                    within("init", inits, 3, broken, failsAt == 0);
                    place.awaitRun();
                    within("run", runs, 2, broken, failsAt == 1);
                    place.awaitPostrun();
                    within("postrun", postruns, 2, broken, failsAt == 2);
                }
            }));
        }
        for (int i = 0; i < 100; i++) {
            threads.get(random.nextInt(threads.size())).interrupt();
            Thread.onSpinWait();
        }
        join(threads);

        assertThat(broken).isEmpty();
        assertThat(stages.metrics()).isEqualTo(NodeStageMetrics.IDLE);
        // All slots are there: as many as the limits say can be taken at once.
        for (int i = 0; i < 2; i++) {
            var place = stages.arrive(0);
            place.awaitInit();
            place.awaitRun();
        }
        assertThat(stages.metrics().runInflight()).isEqualTo(2);
    }

    private static void within(String stage, AtomicInteger inside, int limit, List<String> broken, boolean fails)
            throws InterruptedException {
        int now = inside.incrementAndGet();
        try {
            if (now > limit) {
                broken.add(now + " in " + stage);
            }
            Thread.yield();
            if (fails) {
                throw new IllegalStateException("fails in " + stage);
            }
        } finally {
            inside.decrementAndGet();
        }
    }

    private static Thread start(StopSignal.Step step) {
        return Thread.ofVirtual().start(() -> {
            try {
                step.run();
            } catch (InterruptedException | IllegalStateException ended) {
                // what a test wanted
            }
        });
    }

    private static void join(List<Thread> threads) throws InterruptedException {
        for (var thread : threads) {
            thread.join();
        }
    }
}
