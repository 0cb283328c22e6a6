package dev.polar.inference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimOptions;
import dev.polar.sim.SimServer;
import dev.polar.spi.EngineProfile;
import dev.polar.spi.Sampling;
import dev.polar.topology.NodeConfig;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several real simulators, named by the configuration or by a router before them. */
class CopiesTest {
    private static SimServer sim(SimEngine engine, int port) throws IOException {
        return SimServer.start(SimOptions.builder().engine(engine).port(port).build());
    }

    private static InferenceClient client(SimEngine engine, String... urls) {
        var known = engine == SimEngine.VLLM ? new VllmEngine() : new SglangEngine();
        EngineProfile profile = known.profile();
        var config = new NodeConfig.Inference(
                known.name(),
                List.of(urls),
                NodeConfig.Streaming.BUFFERED,
                null,
                false,
                Sampling.NONE,
                OptionalInt.empty(),
                null);
        return new InferenceClient(config, profile, Duration.ofSeconds(30));
    }

    private static EngineAnswer ask(InferenceClient client, String session) throws IOException {
        var request = (ObjectNode) JsonTree.read(
                "{\"model\":\"sim\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"logprobs\":true,"
                        + "\"return_token_ids\":true,\"return_prompt_token_ids\":true}");
        return client.generate(session, request, false, new Cancellation())
                .generation()
                .answer();
    }

    private static long chats(SimServer sim) {
        return sim.requests().stream()
                .filter(request -> request.path().equals("/v1/chat/completions"))
                .count();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_routers_workers_are_asked_directly_and_the_router_never(boolean old) throws IOException {
        try (var one = sim(SimEngine.SGLANG, 0);
                var two = sim(SimEngine.SGLANG, 0);
                var router = new RouterStandIn(old, one.url(), two.url());
                var client = client(SimEngine.SGLANG, router.url())) {
            for (int call = 0; call < 3; call++) {
                assertThat(ask(client, "a").sampledIds()).isNotEmpty();
            }
            assertThat(List.of(chats(one), chats(two))).containsExactlyInAnyOrder(3L, 0L);
            for (int session = 0; session < 20; session++) {
                ask(client, "s" + session);
            }
            assertThat(chats(one)).isGreaterThan(3);
            assertThat(chats(two)).isGreaterThan(3);
            assertThat(router.strayCalls).isEmpty();
            assertThat(client.replicas())
                    .containsExactly(
                            new InferenceClient.Replica(one.url(), true), new InferenceClient.Replica(two.url(), true));
            assertThat(client.unhealthy()).isNull();
        }
    }

    @Test
    void a_router_whose_workers_change_is_followed() throws IOException {
        try (var one = sim(SimEngine.SGLANG, 0);
                var two = sim(SimEngine.SGLANG, 0);
                var router = new RouterStandIn(false, one.url());
                var client = client(SimEngine.SGLANG, router.url())) {
            ask(client, "a");
            router.workers.set(0, two.url());
            await().untilAsserted(() -> assertThat(client.replicas())
                    .extracting(InferenceClient.Replica::url)
                    .containsExactly(two.url()));
            ask(client, "a");
            assertThat(chats(one)).isEqualTo(1);
            assertThat(chats(two)).isEqualTo(1);
        }
    }

    @Test
    void a_router_that_has_no_worker_is_an_error_that_says_so_in_the_answer_and_in_the_health() throws IOException {
        try (var router = new RouterStandIn(false);
                var client = client(SimEngine.SGLANG, router.url())) {
            assertThatThrownBy(() -> ask(client, "a")).hasMessageContaining("names no regular worker");
            assertThat(client.unhealthy()).contains("no regular worker");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"VLLM", "SGLANG"})
    void a_session_moves_when_its_copy_is_killed_and_the_copy_comes_back_for_others(SimEngine engine)
            throws IOException {
        var one = sim(engine, 0);
        var two = sim(engine, 0);
        try (var client = client(engine, one.url(), two.url())) {
            ask(client, "a");
            ask(client, "a");
            var mine = chats(one) > 0 ? one : two;
            var other = mine == one ? two : one;
            assertThat(chats(mine)).isEqualTo(2);
            assertThat(chats(other)).isZero();
            mine.close();
            assertThat(ask(client, "a").sampledIds()).isNotEmpty();
            assertThat(chats(other)).isEqualTo(1);
            assertThat(client.replicas()).contains(new InferenceClient.Replica(mine.url(), false));
            assertThat(client.unhealthy()).isNull();
            try (var again = sim(engine, mine.port())) {
                await().untilAsserted(() ->
                        assertThat(client.replicas()).contains(new InferenceClient.Replica(again.url(), true)));
                ask(client, "a");
                assertThat(chats(other)).as("it stays where its prefixes are").isEqualTo(2);
                for (int session = 0; session < 20; session++) {
                    ask(client, "s" + session);
                }
                assertThat(chats(again)).isPositive();
            }
        } finally {
            one.close();
            two.close();
        }
    }
}
