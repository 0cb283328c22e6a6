package dev.polar.sim;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.IntStream;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** Reads scenarios strictly: a key that means nothing is an error that says where it stands. */
final class ScenarioReader {
    private static final Set<String> TOP = Set.of("seed", "reasoning_parser", "otherwise", "rules", "description");
    private static final Set<String> RULE = Set.of("name", "when", "probability", "answer", "answers", "fault");
    private static final Set<String> WHEN =
            Set.of("turn", "last", "tool_result", "system", "first_user", "history", "tools", "image", "seed");
    private static final Set<String> ANSWER =
            Set.of("weight", "text", "reasoning", "tool_calls", "raw", "random_tokens");

    private ScenarioReader() {}

    static Scenario read(String text) {
        JsonNode root;
        try {
            root = Json.MAPPER.valueToTree(new Load(LoadSettings.builder().build()).loadFromString(text));
        } catch (YamlEngineException e) {
            throw new IllegalArgumentException("is neither YAML nor JSON: " + e.getMessage(), e);
        }
        if (!root.isObject()) {
            throw new IllegalArgumentException("must be an object with the key rules");
        }
        known(root, "scenario", TOP);
        List<Scenario.Rule> rules = new ArrayList<>();
        for (JsonNode rule : root.path("rules")) {
            rules.add(rule(rule, "rules[" + rules.size() + "]"));
        }
        return new Scenario(
                rules,
                policy(root.path("otherwise").asText("plain")),
                root.path("seed").asLong(0),
                root.path("reasoning_parser").asBoolean(false));
    }

    private static Policy policy(String name) {
        return switch (name) {
            case "plain" -> Policy.plainText();
            case "random" -> Policy.randomTokens();
            default -> throw new IllegalArgumentException("otherwise is '" + name + "': use plain or random");
        };
    }

    private static Scenario.Rule rule(JsonNode rule, String where) {
        known(rule, where, RULE);
        List<Scenario.Weighted> answers = new ArrayList<>();
        if (rule.has("answer")) {
            answers.add(answer(rule.get("answer"), where + ".answer"));
        }
        for (JsonNode answer : rule.path("answers")) {
            answers.add(answer(answer, where + ".answers[" + answers.size() + "]"));
        }
        Fault fault = rule.has("fault") ? FaultReader.read(rule.get("fault"), where + ".fault") : Fault.NONE;
        if (answers.isEmpty() && fault.kind() == Fault.Kind.NONE) {
            throw new IllegalArgumentException(where + " has neither answer, answers nor fault");
        }
        return new Scenario.Rule(
                conditions(rule.path("when"), where + ".when"),
                fraction(rule.path("probability"), where + ".probability"),
                answers,
                fault);
    }

    private static Scenario.Conditions conditions(JsonNode when, String where) {
        known(when, where, WHEN);
        JsonNode last = when.path("last");
        known(last, where + ".last", Set.of("role", "content"));
        JsonNode turn = when.path("turn");
        known(turn, where + ".turn", Set.of("from", "to"));
        List<Scenario.ResultCondition> results = new ArrayList<>();
        if (when.has("tool_result")) {
            JsonNode result = when.get("tool_result");
            known(result, where + ".tool_result", Set.of("name", "content"));
            results.add(new Scenario.ResultCondition(
                    result.path("name").asText(""), patterns(result.path("content"), where + ".tool_result.content")));
        }
        return new Scenario.Conditions(
                turn.isInt() ? turn.intValue() : turn.path("from").asInt(1),
                turn.isInt() ? turn.intValue() : turn.path("to").asInt(Integer.MAX_VALUE),
                last.path("role").asText(""),
                patterns(last.path("content"), where + ".last.content"),
                patterns(when.path("system"), where + ".system"),
                patterns(when.path("first_user"), where + ".first_user"),
                patterns(when.path("history"), where + ".history"),
                results,
                strings(when.path("tools")),
                patterns(when.path("image"), where + ".image"),
                patterns(when.path("seed"), where + ".seed"));
    }

    private static Scenario.Weighted answer(JsonNode answer, String where) {
        known(answer, where, ANSWER);
        double weight = answer.path("weight").asDouble(1);
        if (weight < 0) {
            throw new IllegalArgumentException(where + ".weight is " + weight + ", but must not be negative");
        }
        if (answer.has("raw")) {
            return new Scenario.Weighted(
                    weight, new Answer.Raw(answer.get("raw").asText()));
        }
        if (answer.has("random_tokens")) {
            return new Scenario.Weighted(
                    weight, randomTokens(answer.get("random_tokens").asInt(0)));
        }
        List<Answer.Call> calls = new ArrayList<>();
        for (JsonNode call : answer.path("tool_calls")) {
            String at = where + ".tool_calls[" + calls.size() + "]";
            known(call, at, Set.of("name", "arguments"));
            if (call.path("name").asText("").isEmpty()) {
                throw new IllegalArgumentException(at + " has no name");
            }
            calls.add(new Answer.Call(
                    call.get("name").asText(), call.has("arguments") ? call.get("arguments") : Json.object()));
        }
        return new Scenario.Weighted(
                weight,
                new Answer.Message(
                        answer.path("reasoning").asText(""), answer.path("text").asText(""), calls));
    }

    /** The same ids in every answer: what differs from draw to draw is the policy {@code random}. */
    private static Answer randomTokens(int count) {
        SimTokenizer tokenizer = SimTokenizer.shared();
        int step = 2477; // coprime to the vocabulary's size, so that the walk meets no id twice soon
        return new Answer.Tokens(IntStream.range(1, count + 1)
                .map(i -> i * step % tokenizer.size())
                .filter(id -> !tokenizer.isSpecial(id))
                .toArray());
    }

    private static List<Pattern> patterns(JsonNode regex, String where) {
        if (regex.isMissingNode() || regex.isNull()) {
            return List.of();
        }
        try {
            return List.of(Pattern.compile(regex.asText(), Pattern.MULTILINE | Pattern.DOTALL));
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException(where + " is no regular expression: " + e.getMessage(), e);
        }
    }

    private static List<String> strings(JsonNode node) {
        List<String> out = new ArrayList<>();
        if (node.isTextual()) {
            out.add(node.textValue());
        }
        node.forEach(item -> out.add(item.asText()));
        return List.copyOf(out);
    }

    private static double fraction(JsonNode node, String where) {
        double value = node.asDouble(1);
        if (value < 0 || value > 1) {
            throw new IllegalArgumentException(where + " is " + value + ", but must be 0 to 1");
        }
        return value;
    }

    static void known(JsonNode object, String where, Set<String> keys) {
        object.fieldNames().forEachRemaining(key -> {
            if (!keys.contains(key)) {
                throw new IllegalArgumentException(
                        where + " has the unknown key '" + key + "': known are " + new TreeSet<>(keys));
            }
        });
    }
}
