package dev.polar.inference;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.spi.Sampling;
import dev.polar.topology.NodeConfig;
import dev.polar.wire.Json;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A real vLLM in the simulator's place, at the address that the environment's POLAR_REAL_ENGINE gives; {@code bench/real-engine} makes and starts one. Skipped where there is none. Run by {@code -Preal-engine} alone. */
@Tag("real-engine")
class RealEngineTest {
    private static final VllmEngine VLLM = new VllmEngine();

    private InferenceClient client;

    @BeforeEach
    void connect() {
        var url = Optional.ofNullable(System.getenv("POLAR_REAL_ENGINE"));
        boolean required = List.of(Optional.ofNullable(System.getenv("POLAR_REQUIRE"))
                        .orElse("")
                        .split(","))
                .contains("vllm");
        assertThat(required && url.isEmpty())
                .as("POLAR_REQUIRE names vllm, and POLAR_REAL_ENGINE does not say where it is")
                .isFalse();
        Assumptions.assumeTrue(url.isPresent(), "no real engine: POLAR_REAL_ENGINE does not say where one is");
        var config = new NodeConfig.Inference(
                VLLM.name(),
                List.of(url.get()),
                NodeConfig.Streaming.BUFFERED,
                null,
                false,
                Sampling.NONE,
                OptionalInt.empty(),
                null);
        client = new InferenceClient(config, VLLM.profile(), Duration.ofMinutes(10));
    }

    @AfterEach
    void close() {
        if (client != null) {
            client.close();
        }
    }

    private static ObjectNode request(boolean streamed) throws IOException {
        var request = (ObjectNode)
                JsonTree.read(
                        "{\"messages\":[{\"role\":\"user\",\"content\":\"What is the capital of France?\"}],\"max_tokens\":12,\"temperature\":0}");
        request.setAll((ObjectNode) Json.MAPPER.valueToTree(VLLM.profile().add()));
        if (streamed) {
            request.put("stream", true);
            request.setAll((ObjectNode) Json.MAPPER.valueToTree(VLLM.profile().addStreaming()));
        }
        return request;
    }

    private EngineAnswer answer(int[] prompt, boolean streamed) throws IOException {
        var generation = streamed
                ? client.stream("s", request(true), prompt, false, new Cancellation(), _ -> {})
                        .generation()
                : client.generate("s", request(false), prompt, false, new Cancellation())
                        .generation();
        assertThat(generation.ids()).isEqualTo(prompt == null ? IdsUse.NONE : IdsUse.TAKEN);
        return generation.answer();
    }

    @Test
    void it_takes_ids_whole_and_streamed_and_answers_them_as_it_answers_the_messages() throws IOException {
        assertThat(client.idBackends())
                .extracting(IdBackend::verdict)
                .containsExactly(new IdVerdict.Takes("/kv_transfer_params/prompt_token_ids"));
        var plain = answer(null, false);
        assertThat(client.render("s", request(false), new Cancellation()))
                .isInstanceOfSatisfying(
                        Rendering.Ids.class,
                        rendered -> assertThat(rendered.ids()).isEqualTo(plain.promptIds()));
        for (boolean streamed : new boolean[] {false, true}) {
            var given = answer(plain.promptIds(), streamed);
            assertThat(given.sampledIds()).isEqualTo(plain.sampledIds());
            assertThat(given.finishReason()).isEqualTo(plain.finishReason());
        }
    }

    @Test
    void ids_that_no_rendering_has_are_its_prompt_whole_and_streamed() throws IOException {
        client.idBackends();
        int[] rendered = answer(null, false).promptIds();
        int[] twice = Arrays.copyOf(rendered, 2 * rendered.length);
        System.arraycopy(rendered, 0, twice, rendered.length, rendered.length);
        for (boolean streamed : new boolean[] {false, true}) {
            assertThat(answer(twice, streamed).promptIds()).isEqualTo(twice);
        }
    }
}
