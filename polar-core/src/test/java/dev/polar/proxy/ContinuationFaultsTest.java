package dev.polar.proxy;

import static dev.polar.proxy.Conversation.history;
import static dev.polar.proxy.Conversation.user;
import static org.assertj.core.api.Assertions.assertThat;

import dev.polar.capture.CompletionEntry;
import dev.polar.capture.Untrainable;
import dev.polar.inference.MeddlingGateway;
import dev.polar.inference.MeddlingGateway.Ids;
import dev.polar.sim.Answer;
import dev.polar.sim.Fault;
import dev.polar.sim.IdInput;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimOptions;
import dev.polar.sim.SimServer;
import dev.polar.topology.NodeConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Backends that do not take ids, or not any more: the agent notices nothing, nothing is lost, and it is said once. */
class ContinuationFaultsTest {
    private static final String WARNS = "dev.polar.inference.IdInputs";
    private static final int TURNS = 5;

    private static Conversation talk(SimEngine engine, UnaryOperator<String> between) throws IOException {
        return new Conversation(engine, 1, Node.Setup.DEFAULT.exact(), between);
    }

    private static Answer[] answers() {
        var answers = new Answer[TURNS];
        for (int i = 0; i < TURNS; i++) {
            answers[i] = Answer.text("This is what I say of fishing, the " + i + "th time.");
        }
        return answers;
    }

    /** All turns, before the {@code change}th of which something changes. Each is answered with 200 and what the model said. */
    private static void talkWhile(Conversation talk, int change, Runnable changing) throws IOException {
        talk.says(answers());
        var history = history("Talk.");
        for (int turn = 0; turn < TURNS; turn++) {
            if (turn == change) {
                changing.run();
            }
            assertThat(talk.turn(history).path("content").textValue()).endsWith("the " + turn + "th time.");
            history.add(user("Go on."));
        }
        assertThat(talk.node.recorder.failed).hasValue(0);
        assertThat(talk.node.recorder.delivered).hasSize(TURNS);
        assertThat(talk.node.recorder.entries).hasSize(TURNS);
        for (var entry : talk.node.recorder.entries) {
            assertThat(Untrainable.of(entry)).isEmpty();
        }
        assertThat(talk.node.recorder.entries.stream().map(CompletionEntry::promptIds))
                .as("what the engine really used")
                .containsExactlyElementsOf(used(talk));
    }

    private static List<int[]> used(Conversation talk) {
        return talk.node.sim.generations().stream()
                .filter(generated ->
                        !generated.request().at("/messages/0/content").asText().equals("Hello."))
                .map(generated -> generated.promptIds())
                .toList();
    }

    private static List<String> made(Conversation talk) {
        return talk.node.recorder.entries.stream()
                .map(entry -> entry.metadata().path("continuation").asText()
                        + (entry.metadata().has("continuation_reason")
                                ? ":"
                                        + entry.metadata()
                                                .path("continuation_reason")
                                                .asText()
                                : ""))
                .toList();
    }

    @ParameterizedTest
    @EnumSource
    void a_backend_that_ignores_ids_is_asked_plainly(SimEngine engine) throws IOException {
        notFromTheStart(engine, IdInput.IGNORED);
    }

    @ParameterizedTest
    @EnumSource
    void a_backend_that_refuses_ids_is_asked_plainly(SimEngine engine) throws IOException {
        notFromTheStart(engine, IdInput.REFUSED);
    }

    private static void notFromTheStart(SimEngine engine, IdInput does) throws IOException {
        try (var talk = talk(engine, null)) {
            talk.node.sim.idInput(does);
            talkWhile(talk, -1, () -> {});
            assertThat(made(talk))
                    .as("the first continued turn has it proved")
                    .containsExactly("first", "none:backend", "none:backend", "none:backend", "none:backend");
            assertThat(talk.node.recorder.entries.getLast().promptIds()).isEqualTo(talk.rendering());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_backend_that_drops_ids_half_way_is_asked_plainly_from_there_and_warned_of_once(SimEngine engine)
            throws IOException {
        try (var talk = talk(engine, null);
                var log = new Warnings()) {
            talkWhile(talk, 2, () -> talk.node.sim.idInput(IdInput.IGNORED));
            assertThat(made(talk))
                    .containsExactly("first", "spliced", "none:not_taken", "none:backend", "none:backend");
            assertThat(log.told).singleElement().asString().contains(talk.node.sim.url(), "other ids");
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_backend_that_refuses_ids_half_way_is_asked_again_plainly_and_warned_of_once(SimEngine engine)
            throws IOException {
        try (var talk = talk(engine, null);
                var log = new Warnings()) {
            talkWhile(talk, 2, () -> talk.node.sim.idInput(IdInput.REFUSED));
            assertThat(made(talk)).containsExactly("first", "spliced", "none:refused", "none:backend", "none:backend");
            assertThat(log.told).singleElement().asString().contains(talk.node.sim.url(), "400");
        }
    }

    @ParameterizedTest
    @EnumSource
    void ids_that_something_between_strips_half_way_are_missed_at_once(SimEngine engine) throws IOException {
        var between = new MeddlingGateway[1];
        UnaryOperator<String> router = url -> {
            try {
                between[0] = new MeddlingGateway(url, Ids.PASSED);
                return between[0].url();
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        };
        try (var talk = talk(engine, router);
                var log = new Warnings()) {
            talkWhile(talk, 2, () -> between[0].does(Ids.STRIPPED));
            assertThat(made(talk))
                    .containsExactly("first", "spliced", "none:not_taken", "none:backend", "none:backend");
            assertThat(log.told).hasSize(1);
            assertThat(between[0].withIds())
                    .as("the proof, one turn, and the one that was stripped")
                    .isEqualTo(3);
        } finally {
            between[0].close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_router_that_strips_ids_is_found_out_by_the_proof(SimEngine engine) throws IOException {
        try (var real = SimServer.start(SimOptions.builder().engine(engine).build());
                var between = new MeddlingGateway(real.url(), Ids.STRIPPED);
                var talk = talk(engine, url -> between.url())) {
            var history = history("Talk.");
            for (int turn = 0; turn < 3; turn++) {
                talk.turn(history);
                history.add(user("Go on."));
            }
            assertThat(made(talk)).containsExactly("first", "none:backend", "none:backend");
            assertThat(between.withIds())
                    .isEqualTo(Node.profile(engine == SimEngine.VLLM ? "vllm" : "sglang")
                            .continuation()
                            .orElseThrow()
                            .requestPointers()
                            .size());
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_answer_that_the_engine_cut_off_is_asked_again_from_the_same_ids(SimEngine engine) throws IOException {
        try (var talk = talk(engine, null)) {
            talk.says(answers());
            var history = history("Talk.");
            talk.turn(history);
            talk.node.client.idBackends();
            talk.node.sim.faults().add(Fault.of(Fault.Kind.ABORT).after(3));
            talk.turn(history.add(user("Go on.")));
            assertThat(made(talk)).containsExactly("first", "spliced", "spliced");
            assertThat(talk.entry(1).finishReason()).isEqualTo("abort");
            assertThat(talk.entry(2).promptIds()).isEqualTo(talk.entry(1).promptIds());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_node_that_is_told_to_is_plain_and_asks_for_nothing_more(SimEngine engine) throws IOException {
        try (var talk = new Conversation(engine, 1, Node.Setup.DEFAULT)) {
            talkWhile(talk, -1, () -> {});
            assertThat(made(talk)).containsOnly("none:plain");
            assertThat(talk.node.sim.requests())
                    .extracting(request -> request.path())
                    .doesNotContain("/tokenize", "/v1/tokenize");
            assertThat(talk.node.proxy.continuation().mode()).isEqualTo(NodeConfig.Continuation.PLAIN);
        }
    }

    /** What is warned of while it is open. */
    private static final class Warnings extends Handler implements AutoCloseable {
        private final Logger logger = Logger.getLogger(WARNS);
        private final List<String> told = new CopyOnWriteArrayList<>();

        private Warnings() {
            logger.addHandler(this);
        }

        @Override
        public void publish(LogRecord line) {
            if (line.getLevel().intValue() >= Level.WARNING.intValue()) {
                told.add(line.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {
            logger.removeHandler(this);
        }
    }
}
