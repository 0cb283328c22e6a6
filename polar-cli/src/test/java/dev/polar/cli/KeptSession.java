package dev.polar.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.capture.Detokenizer;
import dev.polar.capture.RecordStore;
import dev.polar.capture.SessionRecorder;
import dev.polar.spi.BuiltTrajectory;
import dev.polar.spi.DefaultClassifier;
import dev.polar.spi.SessionInfo;
import dev.polar.spi.SessionRecord;
import dev.polar.spi.SessionResult;
import dev.polar.spi.SessionStatus;
import dev.polar.trajectory.Merge;
import dev.polar.trajectory.PerRequestBuilder;
import dev.polar.trajectory.PerRequestConfig;
import dev.polar.trajectory.PrefixMergingBuilder;
import dev.polar.trajectory.PrefixMergingConfig;
import dev.polar.trajectory.SessionOutcome;
import dev.polar.trajectory.TrajectoryAssembler;
import dev.polar.wire.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * A session that a server left on the disk.
 *
 * @param folder the session's, in the node's
 * @param manifest {@code session.json} of the folder
 * @param node the folder of the node
 * @param saved the rollout server's file of its result, or null
 */
record KeptSession(Path folder, JsonNode manifest, Path node, Path saved) {
    /** @param saved results that rollout servers saved, by the session's id */
    static KeptSession of(Path manifest, Map<String, Path> saved) throws IOException {
        var folder = manifest.getParent();
        var json = Json.MAPPER.readTree(manifest.toFile());
        return new KeptSession(
                folder,
                json,
                folder.getParent().getParent(),
                saved.get(json.path("session_id").asText()));
    }

    String id() {
        return manifest.path("session_id").asText();
    }

    String task() {
        return manifest.path("task_id").asText();
    }

    /** When it was made. */
    Instant begun() {
        return Instant.ofEpochMilli((long) (manifest.path("created_at").asDouble() * 1000));
    }

    private String nodeId() {
        return node.getFileName().toString().replaceFirst("^node-", "");
    }

    /**
     * Its result as it was {@code delivered}: as the rollout server saved it, else as the node {@code sent} it, or has it still to send; the node's as well, where it differs. Empty for a session
     * that was open when its server ended.
     */
    Map<String, JsonNode> delivered() throws IOException {
        var results = new LinkedHashMap<String, JsonNode>();
        if (saved != null) {
            results.put("delivered", Json.MAPPER.readTree(saved.toFile()));
        }
        var acknowledged = folder.resolve("result.json");
        var pending = node.resolve("spool").resolve(folder.getFileName() + ".json");
        for (var file : List.of(acknowledged, pending)) {
            if (Files.exists(file)) {
                var sent = Json.MAPPER.readTree(file.toFile());
                if (!sent.equals(results.get("delivered"))) {
                    results.put(saved == null ? "delivered" : "sent", sent);
                }
            }
        }
        return results;
    }

    /**
     * Its completions, as {@code GET /sessions/{id}/completions} answers.
     *
     * @param records of its node
     */
    JsonNode completions(RecordStore records) throws IOException {
        var recorder = records.find(id());
        if (recorder.isEmpty()) {
            var none = Json.MAPPER.createObjectNode().put("session_id", id()).put("node_id", nodeId());
            none.putArray("completions");
            return none;
        }
        record(recorder.get());
        var out = new ByteArrayOutputStream();
        recorder.get().writeCompletions(nodeId(), out);
        return Json.MAPPER.readTree(out.toByteArray());
    }

    /** One that was open when its server ended is sealed as a session without a harness is. */
    private static SessionRecord record(SessionRecorder recorder) {
        return recorder.sealed()
                .orElseGet(() -> recorder.seal(DefaultClassifier::classify, OptionalInt.empty(), Detokenizer.NONE));
    }

    /**
     * SessionResults as each builder makes them of its record, as though it had completed, so that what was sampled trains; none where nothing was recorded.
     *
     * @param records of its node
     * @return by the builder, and for {@code prefix_merging} by what it merges
     */
    Map<String, JsonNode> rebuilt(RecordStore records) throws IOException {
        var results = new LinkedHashMap<String, JsonNode>();
        var recorder = records.find(id());
        if (recorder.isPresent()) {
            var record = record(recorder.get());
            for (var merge : Merge.values()) {
                results.put(
                        PrefixMergingBuilder.NAME + "-" + merge.wire(),
                        result(PrefixMergingBuilder.NAME, record, merged(record, merge)));
            }
            var each = TrajectoryAssembler.build(new PerRequestBuilder(), record, PerRequestConfig.DEFAULT);
            results.put(PerRequestBuilder.NAME, result(PerRequestBuilder.NAME, record, each));
        }
        return results;
    }

    private static BuiltTrajectory merged(SessionRecord record, Merge merge) {
        var config = new PrefixMergingConfig(merge, null, null, null, null);
        return TrajectoryAssembler.build(new PrefixMergingBuilder(), record, config);
    }

    private JsonNode result(String builder, SessionRecord record, BuiltTrajectory built) throws IOException {
        var session = new SessionInfo(id(), task(), nodeId(), Map.of());
        var outcome = SessionOutcome.of(session, builder, null, null)
                .ended(SessionStatus.COMPLETED, null)
                .built(record, built);
        var result = new SessionResult(
                id(),
                task(),
                SessionStatus.COMPLETED,
                TrajectoryAssembler.assemble(outcome),
                null,
                nodeId(),
                null,
                Map.of());
        return Json.MAPPER.readTree(Json.MAPPER.writeValueAsBytes(result));
    }
}
