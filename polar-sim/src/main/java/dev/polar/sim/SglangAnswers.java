package dev.polar.sim;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;

/** SGLang's whole answers: which keys are there, in which order, and which are null. */
final class SglangAnswers {
    private final SimOptions options;

    SglangAnswers(SimOptions options) {
        this.options = options;
    }

    ObjectNode whole(Generation generation) {
        ArrayNode choices = Json.array();
        for (SampledLine line : generation.lines()) {
            choices.add(choice(generation, line, choices.size()));
        }
        ObjectNode answer = Json.object()
                .put("id", generation.id())
                .put("object", "chat.completion")
                .put("created", Instant.now().getEpochSecond())
                .put("model", options.model());
        answer.set("choices", choices);
        answer.set("usage", usage(generation));
        SampledLine first = generation.lines().getFirst();
        ObjectNode metadata = Json.object().put("weight_version", version(first));
        answer.set("metadata", metadata.set("weight_versions", versions(first)));
        ObjectNode extension = extension(generation);
        return extension.isEmpty() ? answer : answer.set("sglext", extension);
    }

    /** The ids that go beside the answer, as far as the request wants them; empty where it wants none. */
    static ObjectNode extension(Generation generation) {
        ObjectNode extension = Json.object();
        if (generation.request().flag("return_input_ids_in_sglext")) {
            extension.set("input_ids", Json.ids(generation.promptIds()));
        }
        if (generation.request().flag("return_output_ids_in_sglext")) {
            ArrayNode ids = extension.putArray("output_ids");
            generation.lines().forEach(line -> ids.add(Json.ids(line.ids())));
        }
        return extension;
    }

    ObjectNode usage(Generation generation) {
        return usage(generation.promptIds().length, generation.sampled(), reasoningTokens(generation.lines()));
    }

    static ObjectNode usage(int prompt, int sampled, int reasoning) {
        return Json.object()
                .put("prompt_tokens", prompt)
                .put("total_tokens", prompt + sampled)
                .put("completion_tokens", sampled)
                .putNull("prompt_tokens_details")
                .put("reasoning_tokens", reasoning)
                .putNull("completion_tokens_details");
    }

    static LogprobEntries entries(Generation generation) {
        return new LogprobEntries(
                SimEngine.SGLANG, generation.promptIds(), generation.request().topLogprobs(), false);
    }

    static void matchedStop(ObjectNode choice, Finish finish) {
        if (finish.matchedText() != null) {
            choice.put("matched_stop", finish.matchedText());
        } else if (finish.matchedId() >= 0) {
            choice.put("matched_stop", finish.matchedId());
        } else {
            choice.putNull("matched_stop");
        }
    }

    private ObjectNode choice(Generation generation, SampledLine line, int index) {
        ChatRequest request = generation.request();
        HermesParser.Parsed parsed = HermesParser.parseReasoning(text(line), options.reasoning());
        String content = parsed.content();
        List<HermesParser.ParsedCall> calls = List.of();
        boolean called = parsesTools(options, request) && content.contains(HermesParser.OPEN_CALL);
        if (called) {
            calls = HermesParser.soundCalls(content, request::offers);
            content = content.substring(0, content.indexOf(HermesParser.OPEN_CALL))
                    .strip();
        }
        boolean renamed = called && line.finish().reason().equals("stop");
        ObjectNode choice = Json.object().put("index", index);
        choice.set("message", message(content, parsed.reasoning(), calls));
        if (request.logprobs()) {
            choice.set(
                    "logprobs", Json.object().set("content", entries(generation).all(line.ids())));
        } else {
            choice.putNull("logprobs");
        }
        choice.put("finish_reason", renamed ? "tool_calls" : line.finish().reason());
        matchedStop(choice, renamed ? Finish.LENGTH : line.finish());
        return withIds(choice, generation, line);
    }

    /** Tools are parsed only where the request offers and allows them. */
    static boolean parsesTools(SimOptions options, ChatRequest request) {
        return options.toolParser() && !request.tools().isEmpty() && !(request.toolChoice() instanceof ToolChoice.None);
    }

    /** SGLang shows the half of a character that a cut left over. */
    private static String text(SampledLine line) {
        return line.endsInsideCharacter() ? line.text() + "\ufffd" : line.text();
    }

    private static ObjectNode message(String content, String reasoning, List<HermesParser.ParsedCall> calls) {
        ObjectNode message =
                Json.object().put("role", "assistant").put("content", content).put("reasoning_content", reasoning);
        if (!calls.isEmpty()) {
            ArrayNode array = message.putArray("tool_calls");
            for (HermesParser.ParsedCall call : calls) {
                ObjectNode node = array.addObject()
                        .put("id", Ids.sglangTool())
                        .put("index", array.size() - 1)
                        .put("type", "function");
                node.set("function", Json.object().put("name", call.name()).put("arguments", call.arguments()));
            }
        }
        return message;
    }

    private ObjectNode withIds(ObjectNode choice, Generation generation, SampledLine line) {
        ChatRequest request = generation.request();
        if (request.flag("return_token_ids") || request.flag("return_prompt_token_ids")) {
            choice.set("prompt_token_ids", Json.ids(generation.promptIds()));
        }
        if (request.flag("return_token_ids")) {
            choice.set("response_token_ids", Json.ids(line.ids()));
        }
        if (request.flag("return_meta_info")) {
            choice.set("meta_info", metaInfo(generation, line));
        }
        return choice;
    }

    private ObjectNode metaInfo(Generation generation, SampledLine line) {
        ObjectNode meta = Json.object().put("id", generation.id());
        meta.set("finish_reason", finishReason(line));
        meta.put("prompt_tokens", generation.promptIds().length)
                .put("weight_version", version(line))
                .put("num_retractions", 0);
        if (generation.request().logprobs()) {
            meta.putArray("input_token_logprobs");
            ArrayNode sampled = meta.putArray("output_token_logprobs");
            int[] ids = line.ids();
            double[] logprobs = line.logprobs();
            for (int i = 0; i < ids.length; i++) {
                sampled.addArray()
                        .add(logprobs[i])
                        .add(ids[i])
                        .add(SimTokenizer.shared().decode(new int[] {ids[i]}));
            }
            meta.put("output_token_logprobs_length", ids.length);
        }
        meta.put("reasoning_tokens", reasoningTokens(List.of(line)))
                .put("completion_tokens", line.size())
                .put("cached_tokens", 0);
        meta.set("weight_versions", versions(line));
        return meta.put("e2e_latency", generation.age().toNanos() / 1e9);
    }

    private static ObjectNode finishReason(SampledLine line) {
        Finish finish = line.finish();
        ObjectNode reason = Json.object().put("type", finish.reason());
        switch (finish.reason()) {
            case "length" -> reason.put("length", line.size());
            case "abort" ->
                reason.put("message", "Aborted").putNull("status_code").putNull("err_type");
            default -> {
                if (finish.matchedText() != null) {
                    reason.put("matched", finish.matchedText());
                } else {
                    reason.put("matched", finish.matchedId());
                }
            }
        }
        return reason;
    }

    private static String version(SampledLine line) {
        return line.versions().isEmpty() ? "default" : line.versions().getLast().version();
    }

    private static ArrayNode versions(SampledLine line) {
        ArrayNode array = Json.array();
        List<SampledLine.WeightSpan> spans = line.versions();
        for (int i = 0; i < spans.size(); i++) {
            int end = i + 1 < spans.size() ? spans.get(i + 1).start() : line.size();
            array.addObject()
                    .put("version", spans.get(i).version())
                    .put("start", spans.get(i).start())
                    .put("end", end);
        }
        return array;
    }

    private int reasoningTokens(List<SampledLine> lines) {
        return options.reasoning()
                ? lines.stream().mapToInt(line -> ReasoningCount.of(line.ids())).sum()
                : 0;
    }
}
