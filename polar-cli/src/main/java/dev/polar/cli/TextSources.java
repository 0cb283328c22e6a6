package dev.polar.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.result.ResultException;
import dev.polar.trace.RecordedTexts;
import dev.polar.trace.TokenTexts;
import dev.polar.wire.Json;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;

/** Who can tell what a session's ids say: the inference server, where the topology is known, or the session's record on its gateway. */
final class TextSources implements AutoCloseable {
    private final Target target;
    private final Output output;
    private final String taskId;
    private final String sessionId;
    private RolloutClient engine;

    TextSources(Target target, Output output, String taskId, String sessionId) {
        this.target = target;
        this.output = output;
        this.taskId = taskId;
        this.sessionId = sessionId;
    }

    /** The engine, else the record, else nobody. */
    TokenTexts any() throws InterruptedException {
        var asked = engine();
        if (asked.isPresent()) {
            return asked.get();
        }
        var read = record(Set.of());
        return read.isPresent() ? read.get() : TokenTexts.UNKNOWN;
    }

    /** The first node's; empty where no topology was named, its engine is none that is known here, or it does not answer. */
    Optional<TokenTexts> engine() throws InterruptedException {
        var topology = target.topology(output);
        if (topology.isEmpty()) {
            return Optional.empty();
        }
        var inference = topology.get().gateway().nodes().getFirst().inference();
        engine = new RolloutClient(inference.baseUrls().getFirst());
        var texts = switch (inference.engine()) {
            case "vllm" -> Optional.of(asking(engine, "/detokenize", "prompt"));
            case "sglang" -> Optional.of(asking(engine, "/v1/detokenize", "text"));
            default -> Optional.<TokenTexts>empty();
        };
        return texts.isPresent() && texts.get().text(new int[] {0}).isPresent() ? texts : Optional.empty();
    }

    private static TokenTexts asking(RolloutClient engine, String path, String key) {
        return ids -> {
            var question = Json.MAPPER.createObjectNode();
            question.set("tokens", Json.MAPPER.<JsonNode>valueToTree(ids));
            return engine.probe(path, question)
                    .filter(RolloutClient.Answer::ok)
                    .map(answer -> answer.body().path(key).textValue());
        };
    }

    /** Empty where the gateway does not answer or does not have it any more. */
    Optional<RecordedTexts> record(Set<String> wantedPrompts) throws InterruptedException {
        try (var rollout = target.client(output)) {
            var gateway = gateway(rollout);
            if (gateway.isEmpty()) {
                return Optional.empty();
            }
            try (var client = new RolloutClient(gateway.get())) {
                var in = client.open(
                        "/sessions/" + RolloutClient.encoded(sessionId) + "/completions", "session " + sessionId);
                return Optional.of(RecordedTexts.read(in, wantedPrompts));
            }
        } catch (UserException | ResultException | IOException gone) {
            output.progress("without the session's record: " + gone.getMessage());
            return Optional.empty();
        }
    }

    private Optional<String> gateway(RolloutClient rollout) throws InterruptedException {
        var sessions = rollout.get("/tasks/" + RolloutClient.encoded(taskId) + "/sessions");
        for (var session : sessions.body().path("sessions")) {
            if (session.path("session_id").asText().equals(sessionId)) {
                var node = rollout.get("/nodes/"
                        + RolloutClient.encoded(session.path("node_id").asText()));
                return Optional.ofNullable(node.body().path("gateway_url").textValue());
            }
        }
        return Optional.empty();
    }

    @Override
    public void close() {
        if (engine != null) {
            engine.close();
        }
    }
}
