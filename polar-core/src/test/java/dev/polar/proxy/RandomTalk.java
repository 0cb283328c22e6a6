package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.proxy.ContinuationOracle.Turn;
import dev.polar.proxy.Told.Api;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Agents of one session that talk at random: they go on, ask again, branch off, forget, rewrite what was said, change their tools and system prompts, and speak at the same time. */
final class RandomTalk {
    /** The temperature names a turn on its way through the proxy, which passes it on from every API. */
    static final double BASE = 0.5;

    static final double STEP = 1e-6;

    private static final String RESULT = "sun";

    private final Node node;
    private final Api api;
    private final Random random;
    private final AtomicInteger clock = new AtomicInteger();
    private final AtomicInteger numbers = new AtomicInteger();
    private final List<Turn> turns = new CopyOnWriteArrayList<>();
    private final List<Agent> agents = new ArrayList<>();
    private int texts;

    RandomTalk(Node node, Api api, Random random) {
        this.node = node;
        this.api = api;
        this.random = random;
        for (int i = 0, count = 1 + random.nextInt(3); i < count; i++) {
            agents.add(new Agent(random.nextBoolean() ? "Be brief." : "Be brief, agent " + i + ".", random.nextInt(3)));
        }
    }

    private enum Kind {
        USER,
        ANSWER,
        RESULTS
    }

    /** What stands in a history together. */
    private record Entry(Kind kind, String meaning, List<JsonNode> nodes) {}

    private final class Agent {
        private String system;
        private int tools;
        private final List<Entry> history;

        private Agent(String system, int tools) {
            this(system, tools, new ArrayList<>());
        }

        private Agent(String system, int tools, List<Entry> history) {
            this.system = system;
            this.tools = tools;
            this.history = history;
        }

        private void say() {
            var text = userText();
            history.add(new Entry(Kind.USER, text, List.of(api.user(text))));
        }

        /** Where it is the model's turn anyway, sometimes says nothing more. */
        private void prepare() {
            boolean open = !history.isEmpty() && history.getLast().kind() != Kind.ANSWER;
            if (!open || random.nextInt(6) == 0) {
                say();
            }
        }
    }

    private String userText() {
        texts++;
        return switch (random.nextInt(8)) {
            case 0 -> "Say <|im_end|> to me, number " + texts + ".";
            case 1 -> "Grüße 日本 🙂 " + texts;
            case 2 -> "Go on.";
            default -> "Question " + texts + " about fishing and weather?";
        };
    }

    /** All turns that were answered. */
    List<Turn> turns() {
        return List.copyOf(turns);
    }

    void step() throws IOException {
        var agent = agents.get(random.nextInt(agents.size()));
        int choice = random.nextInt(100);
        if (choice < 8) {
            retry(agent);
            return;
        }
        if (choice < 16 && agents.size() < 5) {
            agent = branch(agent);
        } else if (choice < 24) {
            edit(agent);
        } else if (choice < 28) {
            forget(agent);
        } else if (choice < 31) {
            agent.tools = (agent.tools + 1) % 3;
        } else if (choice < 34) {
            agent.system = "It is " + texts++ + " o'clock.";
        } else if (choice < 44 && agents.size() > 1) {
            together(agent, agents.get((agents.indexOf(agent) + 1) % agents.size()));
            return;
        }
        agent.prepare();
        answer(agent, ask(agent));
    }

    /** The same request again; one of both answers stays. */
    private void retry(Agent agent) throws IOException {
        int last = agent.history.size() - 1;
        while (last >= 0 && agent.history.get(last).kind() != Kind.ANSWER) {
            last--;
        }
        if (last <= 0) {
            agent.prepare();
            answer(agent, ask(agent));
            return;
        }
        var kept = List.copyOf(agent.history);
        agent.history.subList(last, agent.history.size()).clear();
        answer(agent, ask(agent));
        if (random.nextBoolean()) {
            agent.history.clear();
            agent.history.addAll(kept);
        }
    }

    private Agent branch(Agent from) {
        var twin = new Agent(from.system, from.tools, new ArrayList<>(from.history));
        if (random.nextBoolean()) {
            forget(twin);
        }
        agents.add(twin);
        return twin;
    }

    /** Leaves out the end, answers with their results. */
    private void forget(Agent agent) {
        int keep = agent.history.isEmpty() ? 0 : random.nextInt(agent.history.size());
        while (keep > 0 && agent.history.get(keep - 1).kind() == Kind.ANSWER) {
            keep--;
        }
        agent.history.subList(keep, agent.history.size()).clear();
    }

    private void edit(Agent agent) {
        if (agent.history.isEmpty()) {
            return;
        }
        int at = random.nextInt(agent.history.size());
        var entry = agent.history.get(at);
        boolean called =
                at + 1 < agent.history.size() && agent.history.get(at + 1).kind() == Kind.RESULTS;
        var edited = switch (entry.kind()) {
            case USER -> {
                var text = userText();
                yield new Entry(Kind.USER, text, List.of(api.user(text)));
            }
            case RESULTS ->
                new Entry(
                        Kind.RESULTS,
                        entry.meaning() + "!",
                        entry.nodes().stream()
                                .map(each -> Bodies.parsed(
                                        Bodies.text(each).replace("\"" + RESULT + "\"", "\"rain " + texts++ + "\"")))
                                .toList());
            case ANSWER -> called ? entry : own("I never said that, number " + texts++ + ".");
        };
        agent.history.set(at, edited);
    }

    /** An answer in the agent's own words. */
    private Entry own(String text) {
        var message = JsonNodeFactory.instance.objectNode();
        if (api == Api.GOOGLE) {
            message.put("role", "model").putArray("parts").addObject().put("text", text);
        } else {
            message.put("role", "assistant").put("content", text);
        }
        return new Entry(Kind.ANSWER, "says " + text, List.of(message));
    }

    private void together(Agent first, Agent second) throws IOException {
        first.prepare();
        second.prepare();
        var firstAsk = request(first);
        var secondAsk = request(second);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var one = threads.submit(() -> send(firstAsk));
            var two = threads.submit(() -> send(secondAsk));
            answer(first, result(one));
            if (second != first) {
                answer(second, result(two));
            }
        }
    }

    private static Told result(Future<Told> future) throws IOException {
        try {
            return future.get();
        } catch (ExecutionException | InterruptedException failed) {
            throw new IOException(failed);
        }
    }

    private Told ask(Agent agent) throws IOException {
        return send(request(agent));
    }

    private record Ask(int number, int tools, List<String> meanings, ObjectNode body) {}

    private Told send(Ask ask) throws IOException {
        int began = clock.incrementAndGet();
        var response = node.post(api.path, Bodies.text(ask.body()));
        if (response.statusCode() != 200) {
            throw new AssertionError(response.statusCode() + " " + response.body() + " to " + ask.body());
        }
        var told = api.read(response.body());
        if (told.finish() == null) {
            throw new AssertionError("no end: " + response.body());
        }
        turns.add(new Turn(ask.number(), began, clock.incrementAndGet(), ask.tools(), ask.meanings(), meaning(told)));
        return told;
    }

    private static String meaning(Told told) {
        var meaning = new StringBuilder("says ").append(told.text().strip());
        told.calls()
                .forEach(call -> meaning.append(" calls ")
                        .append(call.name())
                        .append(' ')
                        .append(arguments(call.arguments())));
        return meaning.toString();
    }

    private static String arguments(String text) {
        try {
            return Bodies.text(Bodies.parsed(text));
        } catch (RuntimeException broken) {
            return text;
        }
    }

    private Ask request(Agent agent) {
        int number = numbers.incrementAndGet();
        var history = JsonNodeFactory.instance.arrayNode();
        agent.history.forEach(entry -> entry.nodes().forEach(each -> history.add(dressed(each.deepCopy()))));
        var body = (ObjectNode) Bodies.parsed(api.ask(history, agent.tools > 0));
        var meanings = new ArrayList<String>();
        meanings.add(agent.system);
        agent.history.forEach(entry -> meanings.add(entry.meaning()));
        switch (api) {
            case CHAT ->
                ((ArrayNode) body.get("messages"))
                        .insertObject(0)
                        .put("role", "system")
                        .put("content", agent.system);
            case MESSAGES -> body.put("system", agent.system);
            case RESPONSES -> body.put("instructions", agent.system);
            case GOOGLE ->
                body.putObject("systemInstruction")
                        .putArray("parts")
                        .addObject()
                        .put("text", agent.system);
        }
        if (agent.tools == 2) {
            secondTool(body);
        }
        var sampling = api == Api.GOOGLE ? body.putObject("generationConfig") : body;
        sampling.put("temperature", BASE + number * STEP);
        if (random.nextInt(6) == 0) {
            sampling.put(limitKey(), 1 + random.nextInt(20));
        }
        return new Ask(number, agent.tools, List.copyOf(meanings), body);
    }

    private String limitKey() {
        return switch (api) {
            case CHAT, MESSAGES -> "max_tokens";
            case RESPONSES -> "max_output_tokens";
            case GOOGLE -> "maxOutputTokens";
        };
    }

    private void secondTool(ObjectNode body) {
        var tools = (ArrayNode) (api == Api.GOOGLE ? body.at("/tools/0/functionDeclarations") : body.get("tools"));
        var second = tools.get(0).deepCopy();
        ((ObjectNode) (api == Api.CHAT ? second.get("function") : second)).put("name", "find");
        tools.add(second);
    }

    /** The same answer in other clothes: arguments spaced otherwise, text without its outer white space or with more. */
    private JsonNode dressed(JsonNode message) {
        if (api != Api.CHAT || !"assistant".equals(message.path("role").asText()) || random.nextInt(3) > 0) {
            return message;
        }
        var answer = (ObjectNode) message;
        var text = answer.path("content").asText("");
        answer.put("content", random.nextBoolean() || text.isBlank() ? text.strip() : "\n" + text + "  ");
        for (var call : answer.path("tool_calls")) {
            var function = (ObjectNode) call.get("function");
            function.put("arguments", arguments(function.path("arguments").asText()));
        }
        return answer;
    }

    private void answer(Agent agent, Told told) {
        var nodes = api.turn(told);
        int own = api == Api.RESPONSES ? told.message().size() : 1;
        agent.history.add(new Entry(Kind.ANSWER, meaning(told), nodes.subList(0, own)));
        if (own < nodes.size()) {
            agent.history.add(new Entry(Kind.RESULTS, RESULT, nodes.subList(own, nodes.size())));
        }
    }
}
