package dev.polar.capture;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.spi.ApiType;
import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import dev.polar.spi.ImagePlace;
import dev.polar.wire.Json;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** Records calls whose ids are small numbers. The text of an id is its decimal digits, so 4 5 and 45 are the same text in other ids. */
public final class RecordedCalls {
    /** Digits joined: an engine's detokenizer for such ids. */
    public static final Detokenizer DIGITS = sequences ->
            Optional.of(sequences.stream().map(RecordedCalls::digits).toList());

    private final SessionRecorder recorder;
    private final Map<String, CallLabel> labels = new HashMap<>();
    private int count;

    /** Goes on with a recorder that may hold calls already. */
    public RecordedCalls(SessionRecorder recorder) {
        this.recorder = recorder;
        this.count = recorder.completionCount();
        for (int number = 1; number <= count; number++) {
            labels.put(String.valueOf(number), CallLabel.MAIN);
        }
    }

    public SessionRecorder recorder() {
        return recorder;
    }

    /** A call, to be described and then recorded. Its id is its number, from 1. */
    public final class Call {
        private final int number = ++count;
        private final long sequence = recorder.nextSequence();
        private int[] prompt;
        private int[] sampled;
        private double[] logprobs;
        private String[] texts;
        private String finish = "stop";
        private JsonNode matchedStop;
        private boolean delivered = true;
        private List<ImagePlace> images = List.of();
        private ObjectNode request = JsonNodeFactory.instance.objectNode();
        private JsonNode original = JsonNodeFactory.instance.objectNode();
        private final ObjectNode answer = JsonNodeFactory.instance.objectNode();
        private ObjectNode metadata = JsonNodeFactory.instance.objectNode();

        private Call(int[] prompt, int[] sampled) {
            this.prompt = prompt;
            this.sampled = sampled;
            this.logprobs = sampled == null ? null : RecordedCalls.logprobs(number, sampled.length);
            answer.put("id", "chatcmpl-" + number);
            answer.putObject("message").put("role", "assistant").put("content", "answer " + number);
            answer.putObject("usage").put("completion_tokens", sampled == null ? 0 : sampled.length);
            request.putArray("messages").addObject().put("role", "user").put("content", "hello");
            labels.put(id(), CallLabel.MAIN);
        }

        public String id() {
            return String.valueOf(number);
        }

        public Call undelivered() {
            delivered = false;
            return this;
        }

        public Call label(String role, String agent) {
            return label(role, agent, null);
        }

        public Call label(String role, String agent, String segmentKind) {
            labels.put(id(), new CallLabel(role, agent, segmentKind));
            return this;
        }

        public Call logprobs(double... values) {
            logprobs = values;
            return this;
        }

        public Call withoutPrompt() {
            prompt = null;
            return this;
        }

        public Call withoutIds() {
            sampled = null;
            return this;
        }

        public Call texts(String... values) {
            texts = values;
            return this;
        }

        /** Cut by length. */
        public Call cut() {
            finish = "length";
            return this;
        }

        public Call unanswered() {
            finish = null;
            return this;
        }

        /** Ended by one of these ids, which the caller asked for. */
        public Call stoppedByCallersId(int id) {
            request.putArray("stop_token_ids").add(id);
            stopped(JsonNodeFactory.instance.numberNode(id));
            return this;
        }

        public Call stoppedByString(String text) {
            stopped(JsonNodeFactory.instance.textNode(text));
            return this;
        }

        /** As the engine says it, in its answer too. */
        private void stopped(JsonNode by) {
            matchedStop = by;
            answer.set("stop_reason", by);
        }

        public Call usage(int tokens) {
            answer.putObject("usage").put("completion_tokens", tokens);
            return this;
        }

        public Call picture(int position, String digest) {
            var more = new ArrayList<>(images);
            more.add(new ImagePlace(position, digest, "image/png"));
            images = more;
            return this;
        }

        public Call request(ObjectNode other) {
            request = other;
            return this;
        }

        public Call original(JsonNode other) {
            original = other;
            return this;
        }

        public Call answered(ObjectNode message) {
            answer.set("message", message);
            return this;
        }

        public Call metadata(ObjectNode other) {
            metadata = other;
            return this;
        }

        public CompletionEntry entry() {
            var facts = new CallFacts(
                    id(),
                    sequence,
                    ApiType.OPENAI_CHAT,
                    Map.of(),
                    "",
                    "the task",
                    "hello",
                    List.of(),
                    1,
                    OptionalInt.empty(),
                    false);
            return new CompletionEntry(
                    id(),
                    facts,
                    1000.0 + number,
                    request,
                    original,
                    answer,
                    0,
                    prompt,
                    sampled,
                    logprobs,
                    texts,
                    finish,
                    matchedStop,
                    images,
                    Picture.in(request.path("messages")),
                    metadata);
        }

        /** Records it; returns its id. */
        public String record() {
            recorder.record(entry());
            if (delivered) {
                recorder.delivered(id());
            }
            return id();
        }
    }

    /** A call that is not recorded yet; ids are given as text, {@code "1 4 9"}. */
    public Call call(String prompt, String sampled) {
        return new Call(ids(prompt), ids(sampled));
    }

    public Call call(int[] prompt, int[] sampled) {
        return new Call(prompt, sampled);
    }

    /** Seals with the labels of the calls. */
    public SealedRecord seal(OptionalInt endOfTurn, Detokenizer detokenizer) {
        return (SealedRecord) recorder.seal(
                facts -> facts.stream()
                        .map(call -> labels.get(call.completionId()))
                        .toList(),
                endOfTurn,
                detokenizer);
    }

    public SealedRecord seal(int endOfTurn) {
        return seal(OptionalInt.of(endOfTurn), DIGITS);
    }

    public static int[] ids(String text) {
        return text == null
                ? null
                : Arrays.stream(text.split(" "))
                        .filter(id -> !id.isEmpty())
                        .mapToInt(Integer::parseInt)
                        .toArray();
    }

    /** Log-probabilities that no other place has. */
    public static double[] logprobs(int number, int length) {
        var logprobs = new double[length];
        Arrays.setAll(logprobs, i -> -(number + (i + 1) / 1000.0) / 7);
        return logprobs;
    }

    public static JsonNode json(String text) {
        try {
            return Json.MAPPER.readTree(text);
        } catch (java.io.IOException notJson) {
            throw new IllegalArgumentException(text, notJson);
        }
    }

    private static String digits(int[] ids) {
        var text = new StringBuilder();
        for (int id : ids) {
            text.append(id);
        }
        return text.toString();
    }
}
