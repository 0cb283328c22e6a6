package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.sim.Answer;
import dev.polar.sim.Policy;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimOptions;
import dev.polar.topology.NodeConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Conversations of several turns: each prompt goes on from the one before and what was sampled after it. */
class ResponsesTalkTest {
    private static final String TOOLS =
            "[{'type':'function','name':'look','parameters':{'type':'object','properties':{}}},"
                    + "{'type':'namespace','name':'mcp','tools':[{'type':'function','name':'find'}]},"
                    + "{'type':'custom','name':'apply_patch','format':{'type':'grammar','syntax':'lark','definition':'start: x'}},"
                    + "{'type':'local_shell'}]";

    /** How an agent sends back what it got. */
    private enum Echo {
        AS_IT_CAME,
        /** As codex: without the reasoning's text, which stays in the sealed form. */
        SEALED,
        /** Without ids, status and a message's type, arguments read and written again, reasoning in its sealed form, empty values left out. */
        RETYPED,
        /** Each call followed by its result. */
        IN_TURNS,
        /** By the answer's id alone. */
        BY_ID
    }

    private enum How {
        WHOLE,
        BUFFERED,
        NATIVE
    }

    private record Setup(SimEngine engine, How how, Echo echo) {
        boolean streamed() {
            return how != How.WHOLE;
        }
    }

    static List<Setup> setups() {
        var setups = new ArrayList<Setup>();
        for (var engine : SimEngine.values()) {
            for (var echo : Echo.values()) {
                setups.add(new Setup(engine, How.WHOLE, echo));
                setups.add(new Setup(engine, How.BUFFERED, echo));
                if (Node.profile(engine.name().toLowerCase(Locale.ROOT)).chunk().isPresent()) {
                    setups.add(new Setup(engine, How.NATIVE, echo));
                }
            }
        }
        return setups;
    }

    private static Answer answer(JsonNode request) {
        int turn = 0;
        for (var message : request.path("messages")) {
            turn += message.path("role").textValue().equals("assistant") ? 1 : 0;
        }
        return switch (turn) {
            case 0 ->
                new Answer.Message(
                        "First a \"look\" 🙂.",
                        "Let me look.",
                        List.of(call("look", "{'z':1,'a':[2,null],'n':1.0}"), call("mcp__find", "{'q':'ü'}")));
            case 1 ->
                new Answer.Message(
                        "Now patch.",
                        "",
                        List.of(
                                call("apply_patch", "{'input':'*** Begin\\n+\\tx\\\\n'}"),
                                call("local_shell", "{'command':['ls','-l'],'timeout_ms':5}")));
            default -> new Answer.Message("", "All done, in " + turn + " turns.", List.of());
        };
    }

    private static Answer.Call call(String name, String arguments) {
        return new Answer.Call(name, Bodies.tree(arguments));
    }

    @ParameterizedTest
    @MethodSource("setups")
    void b18_each_prompt_goes_on_from_what_was_sampled(Setup setup) throws IOException {
        Policy policy = (request, random) -> new Policy.Decision(answer(request));
        var streaming = setup.how() == How.NATIVE ? NodeConfig.Streaming.NATIVE : NodeConfig.Streaming.BUFFERED;
        try (var node = new Node(
                SimOptions.builder()
                        .engine(setup.engine())
                        .policy(policy)
                        .reasoning(true)
                        .build(),
                Node.Setup.DEFAULT.streaming(streaming))) {
            new Agent(node, setup).talk();
            Chains.assertOneChain(node.recorder.entries, 3);
            assertThat(node.recorder.delivered).hasSize(3);
        }
    }

    /** Calls the model until it calls no tool. */
    private static final class Agent {
        private final Node node;
        private final Setup setup;
        private final ArrayNode history = JsonNodeFactory.instance.arrayNode();
        private String previous;

        Agent(Node node, Setup setup) {
            this.node = node;
            this.setup = setup;
        }

        void talk() throws IOException {
            ArrayNode fresh = (ArrayNode)
                    Bodies.tree(
                            "[{'role':'developer','content':'Be brief.'},{'role':'user','content':[{'type':'input_text','text':'Go.'}]}]");
            while (!fresh.isEmpty()) {
                history.addAll(fresh);
                var response = ask(setup.echo() == Echo.BY_ID ? fresh : history);
                assertThat(response.path("status").textValue()).isEqualTo("completed");
                previous = response.path("id").textValue();
                fresh = remember(response.path("output"));
            }
        }

        private JsonNode ask(ArrayNode input) throws IOException {
            var body = JsonNodeFactory.instance.objectNode().put("model", "made-up");
            body.set("input", input.deepCopy());
            body.set("tools", Bodies.tree(TOOLS));
            body.put("stream", setup.streamed());
            if (setup.echo() == Echo.BY_ID) {
                body.put("previous_response_id", previous);
            } else {
                body.put("store", false);
            }
            return setup.streamed()
                    ? node.events("/v1/responses", Bodies.text(body)).getLast().path("response")
                    : node.answer("/v1/responses", Bodies.text(body));
        }

        /** Takes an answer into the history, and the results of its calls: into it as well, or as what is to be said next. */
        private ArrayNode remember(JsonNode output) {
            var results = JsonNodeFactory.instance.arrayNode();
            var items = JsonNodeFactory.instance.arrayNode();
            for (var item : output) {
                items.add(echoed((ObjectNode) item.deepCopy()));
                var result = result(item);
                if (result != null && setup.echo() == Echo.IN_TURNS) {
                    items.add(result);
                } else if (result != null) {
                    results.add(result);
                }
            }
            history.addAll(items);
            boolean inTurns = setup.echo() == Echo.IN_TURNS && items.size() > output.size();
            return inTurns ? (ArrayNode) Bodies.tree("[{'role':'developer','content':'Go on.'}]") : results;
        }

        private static ObjectNode result(JsonNode item) {
            var type = item.path("type").textValue();
            return type.endsWith("_call")
                    ? JsonNodeFactory.instance
                            .objectNode()
                            .put("type", type + "_output")
                            .put("call_id", item.path("call_id").textValue())
                            .put("output", "result of " + type)
                    : null;
        }

        private ObjectNode echoed(ObjectNode item) {
            switch (setup.echo()) {
                case SEALED -> {
                    if (item.path("type").textValue().equals("reasoning")) {
                        item.remove(List.of("content", "status"));
                    }
                }
                case RETYPED -> retype(item);
                case AS_IT_CAME, IN_TURNS, BY_ID -> {}
            }
            return item;
        }

        private static void retype(ObjectNode item) {
            item.remove(List.of("id", "status"));
            if (item.path("type").textValue().equals("message")) {
                item.remove("type");
            } else {
                item.remove("content");
            }
            if (item.has("arguments")) {
                item.put(
                        "arguments",
                        Bodies.text(Bodies.parsed(item.path("arguments").textValue())));
            }
            if (item.path("action") instanceof ObjectNode action) {
                action.remove("env");
                action.putNull("user");
            }
        }
    }
}
