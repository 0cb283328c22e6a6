package dev.polar.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.result.SampleSessions;
import dev.polar.spi.Trace;
import dev.polar.wire.Json;
import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Readers that Polar did not write find the rows and sums that the results have. */
class ExportReadersTest {
    @TempDir
    static Path folder;

    private static List<Trace> traces;

    @BeforeAll
    static void export() throws Exception {
        var sessions = new SampleSessions().all();
        traces = sessions.stream()
                .flatMap(session -> session.trajectory().traces().stream())
                .toList();
        for (var format : ExportFormat.values()) {
            for (var type : FileType.values()) {
                var file = folder.resolve(format + "." + type);
                try (var export = new Export(file, format, type, ImageForm.INLINE, Selection.ALL)) {
                    for (var session : sessions) {
                        export.add(new ByteArrayInputStream(Json.MAPPER.writeValueAsBytes(session)), "sample");
                    }
                    export.finish();
                }
            }
        }
    }

    private static double sum(List<Trace> traces, ToDoubleFunction<Trace> of) {
        return traces.stream().mapToDouble(of).sum();
    }

    private static void assertSums(JsonNode found, String name, int sampled) {
        var file = found.path(name);
        assertThat(file.path("rows").asInt()).as(name).isEqualTo(traces.size());
        assertThat(file.path("tokens").asDouble())
                .as(name)
                .isEqualTo(sum(traces, trace -> trace.promptIds().length + trace.responseIds().length));
        assertThat(file.path("sampled").asInt()).as(name).isEqualTo(sampled);
        assertThat(file.path("logprobs").asDouble())
                .as(name)
                .isCloseTo(
                        sum(
                                traces,
                                trace -> Arrays.stream(trace.responseLogprobs()).sum()),
                        within(1e-9));
    }

    @ParameterizedTest
    @ValueSource(strings = {"pyarrow", "datasets"})
    void rows_and_token_sums_are_those_of_the_results(String reader) throws Exception {
        var found = Readers.read(reader, folder);
        int sampled = (int) sum(traces, trace -> Arrays.stream(trace.lossMask()).sum());
        for (var name : List.of("tokens.jsonl", "tokens.parquet", "slime.parquet")) {
            assertSums(found, name, sampled);
        }
        for (var type : FileType.values()) {
            var messages = found.path("messages." + type);
            assertThat(messages.path("rows").asInt()).isEqualTo(traces.size());
            assertThat(messages.path("messages").asDouble())
                    .isEqualTo(sum(
                            traces,
                            trace -> trace.promptMessages().size()
                                    + trace.responseMessages().size()));
        }
        assertThat(found.at("/nemo-gym.parquet/rows").asInt()).isEqualTo(traces.size() - 3);
    }

    @Test
    void harbors_models_take_every_trajectory_with_its_ids_and_logprobs() throws Exception {
        var found = Readers.read("harbor", folder);
        for (var type : FileType.values()) {
            var file = found.path("atif." + type);
            assertThat(file.path("rows").asInt()).isEqualTo(traces.size());
            assertThat(file.path("completions").asDouble()).isEqualTo(sum(traces, ExportReadersTest::sampledBySpans));
            assertThat(file.path("logprobs").asDouble())
                    .isCloseTo(
                            sum(
                                    traces,
                                    trace -> Arrays.stream(trace.responseLogprobs())
                                            .sum()),
                            within(1e-9));
        }
    }

    /** Also of a session that failed, whose mask is 0. */
    private static double sampledBySpans(Trace trace) {
        JsonNode spans = Json.MAPPER.valueToTree(trace.metadata().get("spans"));
        int sampled = 0;
        for (var span : spans) {
            sampled += span.path("end").asInt() - span.path("start").asInt();
        }
        return sampled;
    }
}
