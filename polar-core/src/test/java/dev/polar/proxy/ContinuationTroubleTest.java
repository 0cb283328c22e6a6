package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.capture.CompletionEntry;
import dev.polar.capture.Untrainable;
import dev.polar.inference.MeddlingGateway;
import dev.polar.proxy.Told.Api;
import dev.polar.sim.Generated;
import dev.polar.sim.IdInput;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimOptions;
import dev.polar.sim.SimServer;
import dev.polar.topology.NodeConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Backends that do not take ids, or not any more: their sessions go on as if there were no such thing, and somebody is told once. */
class ContinuationTroubleTest {
    private static final int TURNS = 6;
    private static final double BASE = 0.5;

    /** What happens to ids. */
    private enum Trouble {
        IGNORED,
        REFUSED,
        /** Something between takes the field out. */
        STRIPPED
    }

    private final Warnings warnings = new Warnings();

    /** Keeps warnings about ids. */
    private static final class Warnings extends Handler {
        private final List<String> texts = new ArrayList<>();

        @Override
        public synchronized void publish(LogRecord record) {
            if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
                texts.add(record.getMessage());
            }
        }

        synchronized List<String> texts() {
            return List.copyOf(texts);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @BeforeEach
    void listen() {
        Logger.getLogger("dev.polar").addHandler(warnings);
    }

    @AfterEach
    void stopListening() {
        Logger.getLogger("dev.polar").removeHandler(warnings);
    }

    static Stream<Arguments> troubles() {
        return Stream.of(SimEngine.values())
                .flatMap(engine -> Stream.of(Trouble.values())
                        .flatMap(trouble -> Stream.of(0, 3)
                                .flatMap(from -> Stream.of(NodeConfig.Streaming.values())
                                        .map(streaming -> Arguments.of(engine, trouble, from, streaming)))));
    }

    @ParameterizedTest
    @MethodSource("troubles")
    void a_session_goes_on_from_rendered_messages_and_loses_nothing(
            SimEngine engine, Trouble trouble, int from, NodeConfig.Streaming streaming) throws IOException {
        var options = SimOptions.builder()
                .engine(engine)
                .reasoning(true)
                .nonCanonical(0.5)
                .seed(3)
                .build();
        try (var sim = SimServer.start(options);
                var between = new MeddlingGateway(sim.url(), MeddlingGateway.Ids.PASSED);
                var node = new Node(options, Node.Setup.DEFAULT.exact().streaming(streaming), between.url())) {
            var history = JsonNodeFactory.instance.arrayNode();
            for (int turn = 0; turn < TURNS; turn++) {
                if (turn == from) {
                    begin(trouble, sim, between);
                }
                say(node, history, turn);
            }
            var generated = generated(sim);
            var entries = List.copyOf(node.recorder.entries);
            assertThat(entries).hasSize(TURNS);
            assertThat(node.recorder.delivered).hasSize(TURNS);
            assertThat(node.recorder.failed).hasValue(0);
            for (int turn = 0; turn < TURNS; turn++) {
                var entry = entries.get(turn);
                assertThat(Untrainable.of(entry)).isEmpty();
                assertThat(entry.promptIds()).isEqualTo(generated.get(turn).promptIds());
                assertThat(entry.sampledIds())
                        .isEqualTo(generated.get(turn).sampledIds().getFirst());
                if (turn > 0 && turn < from) {
                    assertThat(goesOn(entries.get(turn - 1), entry)).isTrue();
                }
                if (turn >= from) {
                    assertThat(entry.promptIds()).isEqualTo(rendered(node, engine, generated.get(turn)));
                }
            }
            assertThat(warnings.texts()).hasSize(1);
        }
    }

    private static void begin(Trouble trouble, SimServer sim, MeddlingGateway between) {
        switch (trouble) {
            case IGNORED -> sim.idInput(IdInput.IGNORED);
            case REFUSED -> sim.idInput(IdInput.REFUSED);
            case STRIPPED -> between.does(MeddlingGateway.Ids.STRIPPED);
        }
    }

    private static void say(Node node, ArrayNode history, int turn) throws IOException {
        history.add(Api.CHAT.user("Question " + turn + "?"));
        var body = (ObjectNode) Bodies.parsed(Api.CHAT.ask(history.deepCopy(), false));
        body.put("temperature", BASE + turn / 100.0);
        var told = Api.CHAT.read(node.post(Api.CHAT.path, Bodies.text(body)).body());
        assertThat(told.finish()).isEqualTo("stop");
        assertThat(told.text()).isNotEmpty();
        history.add(told.message());
    }

    /** The agent's turns, in order; the proofs of the backend left out. */
    private static List<Generated> generated(SimServer sim) {
        return sim.generations().stream()
                .filter(each -> each.request().path("temperature").asDouble() >= BASE)
                .toList();
    }

    private static boolean goesOn(CompletionEntry before, CompletionEntry entry) {
        int[] start = Arrays.copyOf(before.promptIds(), before.promptIds().length + before.sampledIds().length);
        System.arraycopy(before.sampledIds(), 0, start, before.promptIds().length, before.sampledIds().length);
        return Arrays.equals(Arrays.copyOf(entry.promptIds(), start.length), start);
    }

    private static int[] rendered(Node node, SimEngine engine, Generated generated) throws IOException {
        var request = JsonNodeFactory.instance
                .objectNode()
                .set("messages", generated.request().get("messages"));
        var path = engine == SimEngine.VLLM ? "/tokenize" : "/v1/tokenize";
        var tokens = node.atEngine(path, request).get("tokens");
        int[] ids = new int[tokens.size()];
        Arrays.setAll(ids, i -> tokens.get(i).intValue());
        return ids;
    }
}
