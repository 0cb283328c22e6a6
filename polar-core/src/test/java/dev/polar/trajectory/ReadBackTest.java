package dev.polar.trajectory;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.capture.Detokenizer;
import dev.polar.capture.RecordStore;
import dev.polar.capture.RecordedCalls;
import dev.polar.spi.SessionRecord;
import dev.polar.topology.GatewayConfig.Persistence;
import dev.polar.wire.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Made-up sessions in files. They stay below {@code target/made-up}, for the check of every session that the build ends with. */
class ReadBackTest {
    private static final int SESSIONS = 300;
    private static final Path NODE = Path.of("target", "made-up", "node-made-up");
    private static final Detokenizer TEXTS =
            sequences -> Optional.of(sequences.stream().map(RuleBook::text).toList());

    @Test
    void of_a_record_that_is_read_back_each_builder_makes_the_same() throws IOException {
        delete();
        var built = new LinkedHashMap<String, JsonNode>();
        try (var store = new RecordStore(NODE.resolve("records"), Persistence.DEFAULT)) {
            for (int seed = 0; seed < SESSIONS; seed++) {
                var id = "made-up-" + seed;
                var recorded = new RecordedCalls(store.create(id, "made-up"));
                new CallTrees(seed, recorded).make();
                built.put(id, build(recorded.seal(OptionalInt.of(CallTrees.END_OF_TURN), TEXTS)));
                writeManifest(id);
            }
        }
        try (var store = new RecordStore(NODE.resolve("records"), Persistence.DEFAULT)) {
            for (var session : built.entrySet()) {
                var record = store.find(session.getKey()).orElseThrow().sealed().orElseThrow();
                assertThat(build(record)).as(session.getKey()).isEqualTo(session.getValue());
            }
        }
        assertThat(built).hasSize(SESSIONS);
    }

    /** What each builder makes, as the result's JSON has it. */
    private static JsonNode build(SessionRecord record) {
        var all = Json.MAPPER.createArrayNode();
        for (var merge : Merge.values()) {
            var config = new PrefixMergingConfig(merge, null, null, null, null);
            var built = TrajectoryAssembler.build(new PrefixMergingBuilder(), record, config);
            all.add(Json.MAPPER.<JsonNode>valueToTree(built.traces())).addPOJO(built.excluded());
        }
        var built = TrajectoryAssembler.build(new PerRequestBuilder(), record, PerRequestConfig.DEFAULT);
        return all.add(Json.MAPPER.<JsonNode>valueToTree(built.traces())).addPOJO(built.reconstructionStats());
    }

    private static void writeManifest(String id) throws IOException {
        var manifest = NODE.resolve("sessions").resolve(id).resolve("session.json");
        Files.createDirectories(manifest.getParent());
        var session = Map.of("session_id", id, "task_id", "made-up", "created_at", System.currentTimeMillis() / 1000.0);
        Json.MAPPER.writeValue(manifest.toFile(), session);
    }

    private static void delete() throws IOException {
        if (Files.exists(NODE)) {
            try (var files = Files.walk(NODE)) {
                for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }
}
