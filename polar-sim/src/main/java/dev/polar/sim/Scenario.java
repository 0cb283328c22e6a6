package dev.polar.sim;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A policy from a file: the first rule whose conditions hold, and whose probability strikes, answers; where none does, {@code otherwise} does. The file's format is in
 * the module's README.
 *
 * @param seed for {@link SimOptions#seed}
 * @param reasoningParser for {@link SimOptions#reasoning}
 */
public record Scenario(List<Rule> rules, Policy otherwise, long seed, boolean reasoningParser) implements Policy {
    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{([A-Za-z][A-Za-z0-9]*)}");

    public Scenario {
        rules = List.copyOf(rules);
    }

    /**
     * Reads a YAML or JSON file.
     *
     * @throws IOException when it cannot be read
     * @throws IllegalArgumentException when it is no scenario; the message says where and what
     */
    public static Scenario read(Path file) throws IOException {
        try {
            return parse(Files.readString(file));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }

    /**
     * Reads YAML or JSON text.
     *
     * @throws IllegalArgumentException when it is no scenario; the message says where and what
     */
    public static Scenario parse(String text) {
        return ScenarioReader.read(text);
    }

    @Override
    public Decision decide(JsonNode request, RandomGenerator random) {
        Situation situation = Situation.of(new ChatRequest(request));
        for (Rule rule : rules) {
            Optional<Map<String, String>> found = rule.when().match(situation);
            if (found.isPresent() && random.nextDouble() < rule.probability()) {
                Answer answer = rule.draw(random)
                        .map(choice -> fill(choice, found.get()))
                        .orElseGet(() -> otherwise.decide(request, random).answer());
                return new Decision(answer, rule.fault());
            }
        }
        return otherwise.decide(request, random);
    }

    /**
     * One rule.
     *
     * @param probability that it answers where its conditions hold
     * @param answers to draw from by weight; with none, the scenario's {@code otherwise} answers
     * @param fault {@link Fault#NONE} mostly
     */
    public record Rule(Conditions when, double probability, List<Weighted> answers, Fault fault) {
        public Rule {
            answers = List.copyOf(answers);
        }

        private Optional<Answer> draw(RandomGenerator random) {
            double left = random.nextDouble()
                    * answers.stream().mapToDouble(Weighted::weight).sum();
            for (Weighted choice : answers) {
                left -= choice.weight();
                if (left < 0) {
                    return Optional.of(choice.answer());
                }
            }
            return answers.isEmpty()
                    ? Optional.empty()
                    : Optional.of(answers.getLast().answer());
        }
    }

    /** An answer and how often it is drawn beside the others. */
    public record Weighted(double weight, Answer answer) {}

    /**
     * What must hold; a list that is empty and a pattern that matches all ask for nothing. Patterns are searched for anywhere in the text; their named groups are kept
     * for the answer.
     *
     * @param fromTurn first turn, from 1
     * @param toTurn last turn
     * @param lastRole empty for any
     * @param result a result since the last answer must match; its tool empty for any
     * @param tools names of tools that are offered
     * @param image on the texts in the PNG pictures of the last message that shows any, one {@code keyword: text} to a line
     * @param seed on the request's seed in decimal digits
     */
    public record Conditions(
            int fromTurn,
            int toTurn,
            String lastRole,
            List<Pattern> last,
            List<Pattern> system,
            List<Pattern> firstUser,
            List<Pattern> history,
            List<ResultCondition> result,
            List<String> tools,
            List<Pattern> image,
            List<Pattern> seed) {
        private Optional<Map<String, String>> match(Situation situation) {
            Map<String, String> groups = new HashMap<>();
            boolean holds = situation.turn() >= fromTurn
                    && situation.turn() <= toTurn
                    && (lastRole.isEmpty() || lastRole.equals(situation.lastRole()))
                    && tools.stream().allMatch(situation.request()::offers)
                    && all(image, situation.image(), groups)
                    && all(seed, seed(situation.request()), groups)
                    && all(system, situation.system(), groups)
                    && all(firstUser, situation.firstUser(), groups)
                    && all(history, situation.history(), groups)
                    && all(last, situation.lastText(), groups)
                    && result.stream().allMatch(condition -> condition.match(situation.results(), groups));
            return holds ? Optional.of(groups) : Optional.empty();
        }

        /** A request without one has the empty text. */
        private static String seed(ChatRequest request) {
            return request.seed().isPresent() ? Long.toString(request.seed().getAsLong()) : "";
        }
    }

    /** A condition on a tool's result: one of those since the last answer must fulfil it. */
    public record ResultCondition(String tool, List<Pattern> content) {
        private boolean match(List<Situation.Result> results, Map<String, String> groups) {
            return results.stream()
                    .anyMatch(found ->
                            (tool.isEmpty() || tool.equals(found.tool())) && all(content, found.text(), groups));
        }
    }

    private static boolean all(List<Pattern> patterns, String text, Map<String, String> groups) {
        for (Pattern pattern : patterns) {
            Matcher matcher = pattern.matcher(text);
            if (!matcher.find()) {
                return false;
            }
            matcher.namedGroups().forEach((name, number) -> {
                if (matcher.group(number) != null) {
                    groups.put(name, matcher.group(number));
                }
            });
        }
        return true;
    }

    private static Answer fill(Answer answer, Map<String, String> groups) {
        return switch (answer) {
            case Answer.Message(String reasoning, String text, List<Answer.Call> calls) ->
                new Answer.Message(
                        fill(reasoning, groups),
                        fill(text, groups),
                        calls.stream()
                                .map(call -> new Answer.Call(call.name(), fill(call.arguments(), groups)))
                                .toList());
            case Answer.Raw(String text) -> new Answer.Raw(fill(text, groups));
            case Answer.Tokens tokens -> tokens;
        };
    }

    private static JsonNode fill(JsonNode node, Map<String, String> groups) {
        return switch (node) {
            case ObjectNode object -> {
                ObjectNode filled = Json.object();
                object.properties().forEach(entry -> filled.set(entry.getKey(), fill(entry.getValue(), groups)));
                yield filled;
            }
            case ArrayNode array -> {
                ArrayNode filled = Json.array();
                array.forEach(item -> filled.add(fill(item, groups)));
                yield filled;
            }
            default -> node.isTextual() ? JsonNodeFactory.instance.textNode(fill(node.textValue(), groups)) : node;
        };
    }

    /** Puts a pattern's group where {@code ${name}} stands; a name that no group has stays as it is. */
    private static String fill(String text, Map<String, String> groups) {
        return PLACEHOLDER
                .matcher(text)
                .replaceAll(found -> Matcher.quoteReplacement(groups.getOrDefault(found.group(1), found.group())));
    }
}
