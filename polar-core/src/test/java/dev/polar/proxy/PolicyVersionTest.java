package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.polar.capture.Detokenizer;
import dev.polar.capture.RecordStore;
import dev.polar.proxy.Told.Api;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimOptions;
import dev.polar.spi.CallLabel;
import dev.polar.spi.Sampling;
import dev.polar.spi.Trace;
import dev.polar.topology.GatewayConfig.Persistence;
import dev.polar.trajectory.PrefixMergingBuilder;
import dev.polar.trajectory.PrefixMergingConfig;
import dev.polar.trajectory.TrajectoryAssembler;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** From an agent's calls, over a pause for new weights, to the spans of the trace that is trained on. */
class PolicyVersionTest {
    @TempDir
    private Path records;

    private static void engineTold(Node node, String version) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(node.sim.url() + "/update_weight_version"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"new_version\":\"" + version + "\"}"))
                .build();
        try (var http = HttpClient.newHttpClient()) {
            var response = http.send(request, HttpResponse.BodyHandlers.ofString());
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        }
    }

    private static List<Object> inSpans(Trace trace, String key) {
        var values = new ArrayList<Object>();
        for (var span : (List<?>) trace.metadata().get("spans")) {
            values.add(((Map<?, ?>) span).get(key));
        }
        return values;
    }

    @ParameterizedTest
    @EnumSource(SimEngine.class)
    void f07_a_session_over_a_pause_and_new_weights_has_two_versions_in_the_spans_of_one_trace(SimEngine engine)
            throws Exception {
        var sampling = new Sampling(0.7, null, null, null, null, 5L);
        try (var store = new RecordStore(records, Persistence.DEFAULT);
                var node = new Node(SimOptions.builder().engine(engine).build())) {
            var recorder = store.create("s2", "t2");
            var session = new AgentSession("s2", "t2", false, recorder, sampling, Map.of("top_p", 0.9));
            session.open();
            node.directory.add("kept", session);
            var path = "/s/kept" + Api.CHAT.path;
            var history = JsonNodeFactory.instance.arrayNode().add(Api.CHAT.user("hi"));

            node.control.policyVersion("1");
            var told = Api.CHAT.read(
                    node.post(path, Api.CHAT.ask(history.deepCopy(), false)).body());
            history.addAll(Api.CHAT.turn(told)).add(Api.CHAT.user("on"));
            assertThat(node.control.pause(Duration.ofSeconds(10)).drained()).isTrue();
            var waiting = new FutureTask<>(() -> node.post(path, Api.CHAT.ask(history.deepCopy(), false)));
            Thread.ofVirtual().start(waiting);
            if (engine == SimEngine.SGLANG) {
                engineTold(node, "step-2");
            }
            node.control.policyVersion("2");
            node.control.resume();
            assertThat(waiting.get().statusCode()).isEqualTo(200);
            session.close();

            var record = recorder.seal(
                    facts -> facts.stream().map(call -> CallLabel.MAIN).toList(),
                    OptionalInt.empty(),
                    Detokenizer.NONE);
            var traces = TrajectoryAssembler.build(new PrefixMergingBuilder(), record, PrefixMergingConfig.DEFAULT)
                    .traces();
            assertThat(traces).hasSize(1);
            // an engine that knows its weights' version is believed; one that does not gets the trainer's
            var second = engine == SimEngine.SGLANG ? "step-2" : "2";
            var trace = traces.getFirst();
            assertThat(inSpans(trace, "policy_version")).isEqualTo(List.of("1", second));
            assertThat(inSpans(trace, "policy_version_end")).isEqualTo(List.of("1", second));
            var logprobs = engine == SimEngine.SGLANG ? "temperature" : "raw";
            var inForce = Map.of("temperature", 0.7, "top_p", 0.9, "seed", 5, "logprobs", logprobs);
            assertThat(inSpans(trace, "sampling")).isEqualTo(List.of(inForce, inForce));
        }
    }
}
