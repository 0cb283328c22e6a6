package dev.polar.proxy;

import static dev.polar.proxy.Conversation.history;
import static dev.polar.proxy.Conversation.results;
import static dev.polar.proxy.Conversation.user;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.sim.Answer;
import dev.polar.sim.SimEngine;
import dev.polar.spi.Sampling;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Turns that go on from the ids of earlier ones, and those that must not: each case with both engines, every token that can be cut being sampled in two pieces. */
class ContinuationTest {
    private static final Answer HELLO = Answer.text("Hello there, my good fishing friend.");
    private static final Answer MORE = Answer.text("There is much more to say about fishing.");

    private static Answer calls(String text, String... cities) {
        var calls = new ArrayList<Answer.Call>();
        for (var city : cities) {
            calls.add(
                    new Answer.Call("look", Bodies.tree("{'city':'" + city + "','days':2,'deep':{'a':1,'b':[1,2]}}")));
        }
        return new Answer.Message("", text, calls);
    }

    private static Conversation withTools(SimEngine engine) throws IOException {
        var talk = new Conversation(engine);
        talk.habit = body -> body.set("tools", Bodies.tree(Conversation.TOOLS));
        return talk;
    }

    @ParameterizedTest
    @EnumSource
    void a_retokenized_text_is_gone_on_from_turn_after_turn(SimEngine engine) throws IOException {
        try (var talk = new Conversation(engine).says(HELLO, MORE, HELLO, MORE)) {
            var history = history("Talk about fishing.");
            talk.turn(history);
            talk.assertFirst();
            for (int turn = 1; turn < 4; turn++) {
                history.add(user("Go on."));
                talk.turn(history);
                talk.assertSpliced(turn - 1, "same_text");
            }
            Chains.assertOneChain(talk.node.recorder.entries, 4);
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_answer_of_usual_tokens_has_the_very_ids(SimEngine engine) throws IOException {
        try (var talk = new Conversation(engine, 0, Node.Setup.DEFAULT.exact()).says(HELLO, MORE)) {
            var history = history("Talk.");
            talk.turn(history);
            history.add(user("Go on."));
            talk.turn(history);
            talk.assertSpliced(0, "same_ids");
            assertThat(talk.last().promptIds()).isEqualTo(talk.rendering());
        }
    }

    @ParameterizedTest
    @EnumSource
    void arguments_that_the_model_wrote_compactly_and_the_template_spaces_are_gone_on_from(SimEngine engine)
            throws IOException {
        try (var talk = withTools(engine)) {
            talk.says(
                    new Answer.Raw(
                            "<tool_call>\n{\"name\":\"look\",\"arguments\":{\"city\":\"Köln\",\"days\":2}}\n</tool_call>"),
                    HELLO);
            var history = history("Look.");
            talk.turn(history);
            talk.turn(history);
            talk.assertSpliced(0, "white_space");
        }
    }

    @ParameterizedTest
    @EnumSource
    void arguments_that_the_agent_spaces_or_orders_anew_are_gone_on_from(SimEngine engine) throws IOException {
        for (int form = 0; form < 3; form++) {
            try (var talk = withTools(engine).says(calls("", "Bonn"), HELLO)) {
                var history = history("Look.");
                var answer = talk.turn(history);
                var function = (ObjectNode) answer.at("/tool_calls/0/function");
                var arguments =
                        (ObjectNode) Bodies.parsed(function.path("arguments").textValue());
                function.put(
                        "arguments",
                        switch (form) {
                            case 0 -> Bodies.text(arguments);
                            case 1 -> arguments.toPrettyString();
                            default -> Bodies.text(turned(arguments));
                        });
                talk.turn(history);
                talk.assertSpliced(0, "same_text");
            }
        }
    }

    private static ObjectNode turned(ObjectNode object) {
        var names = new ArrayList<String>();
        object.fieldNames().forEachRemaining(names::add);
        Collections.reverse(names);
        var turned = object.objectNode();
        names.forEach(name -> turned.set(name, object.get(name)));
        return turned;
    }

    @ParameterizedTest
    @EnumSource
    void text_before_a_call_is_gone_on_from(SimEngine engine) throws IOException {
        try (var talk = withTools(engine).says(calls("Let me have a look.", "Bonn"), HELLO)) {
            var history = history("Look.");
            talk.turn(history);
            talk.turn(history);
            talk.assertSpliced(0, "same_text");
        }
    }

    @ParameterizedTest
    @EnumSource
    void two_calls_and_two_results_are_gone_on_from(SimEngine engine) throws IOException {
        try (var talk = withTools(engine).says(calls("", "Bonn", "Ulm"), HELLO)) {
            var history = history("Look.");
            assertThat(talk.turn(history).path("tool_calls")).hasSize(2);
            talk.turn(history);
            talk.assertSpliced(0, "same_text");
        }
    }

    @ParameterizedTest
    @EnumSource
    void content_that_comes_back_as_parts_is_gone_on_from(SimEngine engine) throws IOException {
        try (var talk = new Conversation(engine).says(HELLO, MORE)) {
            var history = history("Talk.");
            var answer = talk.turn(history);
            asParts(answer);
            asParts((ObjectNode) history.get(0));
            history.add(user("Go on."));
            talk.turn(history);
            talk.assertSpliced(0, "same_text");
        }
    }

    private static void asParts(ObjectNode message) {
        var text = message.path("content").textValue();
        message.putArray("content").addObject().put("type", "text").put("text", text);
    }

    @ParameterizedTest
    @EnumSource
    void an_answer_that_the_agent_strips_or_pads_is_gone_on_from(SimEngine engine) throws IOException {
        for (boolean strips : new boolean[] {true, false}) {
            try (var talk = new Conversation(engine).says(Answer.text("\n Hello there, friend.\n\n"), MORE)) {
                var history = history("Talk.");
                var answer = talk.turn(history);
                var text = answer.path("content").textValue();
                answer.put("content", strips ? text.strip() : "  " + text + "\n \n");
                history.add(user("Go on."));
                talk.turn(history);
                talk.assertSpliced(0, "white_space");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_empty_answer_that_comes_back_empty_is_gone_on_from(SimEngine engine) throws IOException {
        try (var talk = new Conversation(engine).says(Answer.text(""), MORE)) {
            var history = history("Say nothing.");
            history.add(talk.ask(history).put("content", ""));
            history.add(user("Go on."));
            talk.turn(history);
            talk.assertSpliced(0, "same_ids");
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_answer_cut_by_its_length_is_ended_by_the_template(SimEngine engine) throws IOException {
        try (var talk = new Conversation(engine).says(HELLO, MORE, HELLO)) {
            var history = history("Talk.");
            talk.turn(history);
            history.add(user("Go on."));
            history.add(talk.ask(history, body -> body.put("max_tokens", 5)));
            assertThat(talk.last().finishReason()).isEqualTo("length");
            history.add(user("And then?"));
            talk.turn(history);
            talk.assertSpliced(1, "same_text");
            int known = talk.entry(1).promptIds().length + 5;
            assertThat(talk.last().promptIds()[known]).isEqualTo(Conversation.TOKENIZER.endOfTurn());
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_answer_cut_inside_a_character_is_gone_on_from(SimEngine engine) throws IOException {
        try (var talk = new Conversation(engine).says(HELLO, Answer.text("Fish: 🐟🐟🐟🐟🐟"), MORE)) {
            var history = history("Talk.");
            talk.turn(history);
            history.add(user("Draw."));
            int limit = 1;
            while (!Conversation.TOKENIZER
                    .decode(Arrays.copyOf(Conversation.TOKENIZER.encode("Fish: 🐟🐟🐟🐟🐟"), limit))
                    .endsWith("\uFFFD")) {
                limit++;
            }
            int most = limit;
            history.add(talk.ask(history, body -> body.put("max_tokens", most)));
            history.add(user("And then?"));
            talk.turn(history);
            talk.assertContinues(
                    1,
                    "spliced",
                    talk.last().metadata().path("continuation_text").textValue());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_user_may_type_the_text_of_the_end_of_turn_token(SimEngine engine) throws IOException {
        try (var talk = new Conversation(engine).says(HELLO, MORE, HELLO)) {
            var history = history("What does <|im_end|> mean, and <|im_end|>?");
            talk.turn(history);
            history.add(user("So <|im_end|> it is."));
            talk.turn(history);
            talk.assertSpliced(0, "same_text");
            history.add(user("Go on."));
            talk.turn(history);
            talk.assertSpliced(1, "same_text");
        }
    }

    @ParameterizedTest
    @EnumSource
    void branches_of_one_turn_each_go_on_from_it(SimEngine engine) throws IOException {
        try (var talk = new Conversation(engine).says(HELLO, MORE, MORE, HELLO)) {
            var history = history("Talk.");
            talk.turn(history);
            talk.turn(history.deepCopy().add(user("One way.")));
            talk.assertSpliced(0, "same_text");
            talk.turn(history.deepCopy().add(user("Another way.")));
            talk.assertSpliced(0, "same_text");
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_retry_of_a_later_turn_goes_on_from_the_same(SimEngine engine) throws IOException {
        try (var talk = new Conversation(engine).says(HELLO, MORE, HELLO, MORE)) {
            var history = history("Talk.");
            talk.turn(history);
            history.add(user("Go on."));
            talk.turn(history.deepCopy());
            talk.turn(history.deepCopy());
            talk.assertSpliced(0, "same_text");
            assertThat(talk.last().promptIds()).isEqualTo(talk.entry(1).promptIds());
        }
    }

    @ParameterizedTest
    @EnumSource
    void two_agents_that_take_turns_each_go_on_from_their_own(SimEngine engine) throws IOException {
        try (var talk = new Conversation(engine).says(HELLO, MORE, HELLO, MORE, HELLO, MORE)) {
            var one = history("Talk about fish.");
            var other = history("Talk about birds.");
            talk.turn(one);
            talk.turn(other);
            for (int round = 1; round < 3; round++) {
                one.add(user("More fish."));
                talk.turn(one);
                talk.assertSpliced(2 * round - 2, "same_text");
                other.add(user("More birds."));
                talk.turn(other);
                talk.assertSpliced(2 * round - 1, "same_text");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_retry_of_the_first_turn_is_asked_plainly(SimEngine engine) throws IOException {
        try (var talk = new Conversation(engine).says(HELLO, MORE)) {
            talk.ask(history("Talk."));
            talk.ask(history("Talk."));
            talk.assertPlain("not_longer");
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_edited_answer_is_not_gone_on_from(SimEngine engine) throws IOException {
        try (var talk = new Conversation(engine).says(HELLO, MORE)) {
            var history = history("Talk.");
            talk.turn(history).put("content", "Hello there, my bad fishing friend.");
            talk.turn(history.add(user("Go on.")));
            talk.assertPlain("answer_edited");
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_earlier_user_turn_that_was_edited_breaks_the_chain(SimEngine engine) throws IOException {
        try (var talk = new Conversation(engine).says(HELLO, MORE)) {
            var history = history("Talk.");
            talk.turn(history);
            ((ObjectNode) history.get(0)).put("content", "Talk!");
            talk.turn(history.add(user("Go on.")));
            talk.assertPlain("history_edited");
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_shortened_history_breaks_the_chain(SimEngine engine) throws IOException {
        try (var talk = new Conversation(engine).says(HELLO, MORE, HELLO)) {
            var history = history("Talk.");
            talk.turn(history);
            talk.turn(history.add(user("Go on.")));
            talk.turn(history("This is what was said: much."));
            talk.assertPlain("not_longer");
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_empty_answer_that_is_left_out_breaks_the_chain(SimEngine engine) throws IOException {
        try (var talk = new Conversation(engine).says(Answer.text(""), MORE)) {
            var history = history("Say nothing.");
            talk.ask(history);
            talk.turn(history.add(user("Go on.")));
            talk.assertPlain("answer_edited");
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_time_stamp_in_the_system_prompt_breaks_the_chain(SimEngine engine) throws IOException {
        try (var talk = new Conversation(engine).says(HELLO, MORE)) {
            var time = new int[] {1};
            talk.habit = body -> ((ArrayNode) body.get("messages"))
                    .insertObject(0)
                    .put("role", "system")
                    .put("content", "It is " + time[0]++ + " o'clock.");
            var history = history("Talk.");
            talk.turn(history);
            talk.turn(history.add(user("Go on.")));
            talk.assertPlain("history_edited");
        }
    }

    @ParameterizedTest
    @EnumSource
    void tools_that_are_added_or_changed_break_the_chain(SimEngine engine) throws IOException {
        for (boolean added : new boolean[] {true, false}) {
            try (var talk = withTools(engine).says(HELLO, MORE)) {
                var history = history("Talk.");
                talk.turn(history);
                talk.habit = body -> {
                    var tools = (ArrayNode) Bodies.tree(Conversation.TOOLS);
                    if (added) {
                        ((ObjectNode) tools.addObject().put("type", "function").putObject("function"))
                                .put("name", "listen");
                    } else {
                        ((ObjectNode) tools.get(0).get("function")).put("description", "Looks well.");
                    }
                    body.set("tools", tools);
                };
                talk.turn(history.add(user("Go on.")));
                talk.assertPlain("tools_changed");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_template_argument_that_is_changed_breaks_the_chain(SimEngine engine) throws IOException {
        try (var talk = new Conversation(engine).says(HELLO, MORE)) {
            var history = history("Talk.");
            talk.turn(history);
            talk.habit = body -> body.putObject("chat_template_kwargs").put("enable_thinking", false);
            talk.turn(history.add(user("Go on.")));
            talk.assertPlain("template_changed");
        }
    }

    @ParameterizedTest
    @EnumSource
    void arguments_that_the_agent_changed_break_the_chain(SimEngine engine) throws IOException {
        try (var talk = withTools(engine).says(calls("", "Bonn"), HELLO)) {
            var history = history("Look.");
            var answer = talk.turn(history);
            var function = (ObjectNode) answer.at("/tool_calls/0/function");
            function.put("arguments", function.path("arguments").textValue().replace("Bonn", "Ulm"));
            talk.turn(history);
            talk.assertPlain("answer_edited");
        }
    }

    @ParameterizedTest
    @EnumSource
    void where_a_later_turn_was_edited_an_older_one_is_gone_on_from(SimEngine engine) throws IOException {
        try (var talk = new Conversation(engine).says(HELLO, MORE, HELLO, MORE)) {
            var history = history("Talk.");
            talk.turn(history);
            talk.turn(history.add(user("Go on.")));
            ((ObjectNode) history.get(2)).put("content", "Go on, please.");
            talk.turn(history.add(user("And then?")));
            talk.assertContinues(0, "partial", "same_text");
            assertThat(talk.last().metadata().path("continuation_reason").textValue())
                    .isEqualTo("history_edited");
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_stop_string_that_is_cut_off_leaves_another_text(SimEngine engine) throws IOException {
        try (var talk = new Conversation(engine).says(MORE, HELLO, MORE)) {
            learnEnd(talk);
            var history = history("Talk.");
            history.add(talk.ask(history, body -> body.putArray("stop").add(" fishing")));
            assertThat(talk.last().finishReason()).isEqualTo("stop");
            talk.turn(history.add(user("Go on.")));
            talk.assertPlain("other_text");
        }
    }

    /** What ends a turn is seen in an answer that the template ended. */
    private static void learnEnd(Conversation talk) throws IOException {
        talk.turn(history("Something else."));
    }

    @ParameterizedTest
    @EnumSource
    void where_the_last_answer_is_another_text_an_older_one_is_gone_on_from(SimEngine engine) throws IOException {
        try (var talk = new Conversation(engine).says(HELLO, HELLO, MORE)) {
            var history = history("Talk.");
            talk.turn(history);
            history.add(user("Again."));
            history.add(talk.ask(history, body -> body.putArray("stop").add(" fishing")));
            talk.turn(history.add(user("Go on.")));
            talk.assertContinues(0, "partial", "same_text");
            assertThat(talk.last().metadata().path("continuation_reason").textValue())
                    .isEqualTo("other_text");
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_session_that_has_seen_no_end_of_turn_is_told_by_others(SimEngine engine) throws IOException {
        try (var talk = new Conversation(engine).says(HELLO, MORE, HELLO, MORE)) {
            var history = history("Talk.");
            history.add(talk.ask(history, body -> body.put("max_tokens", 5)));
            talk.turn(history.deepCopy().add(user("Go on.")));
            talk.assertPlain("no_end_of_turn");
            talk.turn(history.deepCopy().add(user("Go on, now.")));
            talk.assertSpliced(0, "same_text");
            var other = new MemoryRecorder();
            var session = new AgentSession("s2", "t1", false, other, Sampling.NONE, Map.of());
            session.open();
            talk.node.directory.add(Node.KEY, session);
            history = history("Talk.");
            history.add(talk.ask(history, body -> body.put("max_tokens", 5)));
            talk.ask(history.add(user("Go on.")));
            assertThat(other.entries.getLast().metadata().path("continuation").textValue())
                    .isEqualTo("spliced");
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_second_call_that_the_agent_does_not_get_leaves_another_text(SimEngine engine) throws IOException {
        try (var talk = withTools(engine).says(calls("", "Bonn", "Ulm"), HELLO)) {
            var history = history("Look.");
            var answer = talk.ask(history, body -> body.put("parallel_tool_calls", false));
            assertThat(answer.path("tool_calls")).hasSize(1);
            history.add(answer);
            results(history, answer);
            talk.turn(history);
            talk.assertPlain("other_text");
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_unclosed_call_that_the_template_completes_is_another_text(SimEngine engine) throws IOException {
        try (var talk = withTools(engine)) {
            talk.says(
                    new Answer.Raw("Hm.\n<tool_call>\n{\"name\": \"look\", \"arguments\": {\"city\": \"Bonn\"}}"),
                    HELLO);
            var history = history("Look.");
            talk.turn(history);
            talk.turn(history.add(user("Go on.")));
            talk.assertPlain("other_text");
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_special_token_that_the_content_leaves_out_is_another_text(SimEngine engine) throws IOException {
        try (var talk = new Conversation(engine)) {
            talk.says(new Answer.Tokens(Conversation.TOKENIZER.encode("Well<|im_start|> then")), MORE);
            var history = history("Talk.");
            talk.turn(history);
            talk.turn(history.add(user("And then?")));
            talk.assertPlain("other_text");
        }
    }

    private static final Answer THOUGHT = new Answer.Message("I think about it.", "So it is.", List.of());

    @ParameterizedTest
    @EnumSource
    void reasoning_that_the_template_drops_at_the_next_user_turn_breaks_the_chain(SimEngine engine) throws IOException {
        try (var talk = new Conversation(engine).says(THOUGHT, MORE)) {
            var history = history("Think.");
            talk.turn(history);
            talk.turn(history.add(user("Go on.")));
            talk.assertPlain("reasoning_dropped");
        }
    }

    @ParameterizedTest
    @EnumSource
    void reasoning_that_the_template_drops_is_kept_where_the_node_says_so(SimEngine engine) throws IOException {
        try (var talk = new Conversation(engine, 1, Node.Setup.DEFAULT.exact().keeping()).says(THOUGHT, MORE, HELLO)) {
            var history = history("Think.");
            talk.turn(history);
            talk.turn(history.add(user("Go on.")));
            talk.assertSpliced(0, "reasoning_dropped");
            talk.turn(history.add(user("Go on.")));
            Chains.assertOneChain(talk.node.recorder.entries, 3);
        }
    }

    @ParameterizedTest
    @EnumSource
    void reasoning_that_lives_through_a_tool_loop_is_gone_on_from(SimEngine engine) throws IOException {
        try (var talk = withTools(engine)) {
            talk.says(thoughtfulCall(), HELLO);
            var history = history("Look.");
            talk.turn(history);
            talk.turn(history);
            talk.assertSpliced(0, "same_text");
        }
    }

    private static Answer thoughtfulCall() {
        return new Answer.Message("I must look.", "", List.of(new Answer.Call("look", Bodies.tree("{'city':'Bonn'}"))));
    }

    @ParameterizedTest
    @EnumSource
    void reasoning_that_the_agent_does_not_send_back_in_a_tool_loop_breaks_the_chain(SimEngine engine)
            throws IOException {
        for (boolean keeps : new boolean[] {false, true}) {
            var setup = Node.Setup.DEFAULT.exact();
            try (var talk = new Conversation(engine, 1, keeps ? setup.keeping() : setup)) {
                talk.habit = body -> body.set("tools", Bodies.tree(Conversation.TOOLS));
                talk.says(thoughtfulCall(), HELLO);
                var history = history("Look.");
                talk.turn(history).remove("reasoning_content");
                talk.turn(history);
                if (keeps) {
                    talk.assertSpliced(0, "reasoning_dropped");
                } else {
                    talk.assertPlain("reasoning_dropped");
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_loop_whose_reasoning_is_rendered_away_is_rendered_anew(SimEngine engine) throws IOException {
        try (var talk = withTools(engine)) {
            talk.says(thoughtfulCall(), thoughtfulCall(), THOUGHT, HELLO);
            var history = history("Look.");
            talk.turn(history);
            talk.turn(history);
            talk.turn(history);
            talk.assertSpliced(1, "same_text");
            talk.turn(history.add(user("Go on.")));
            talk.assertPlain("rendered_anew");
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_request_with_an_image_is_asked_plainly(SimEngine engine) throws IOException {
        try (var talk = new Conversation(engine).says(HELLO, MORE)) {
            var history = history("Talk.");
            talk.turn(history);
            var parts = history.addObject().put("role", "user").putArray("content");
            parts.addObject().put("type", "text").put("text", "What is this?");
            parts.addObject()
                    .put("type", "image_url")
                    .putObject("image_url")
                    .put("url", "data:image/png;base64,iVBORw0KGgo=");
            talk.turn(history);
            talk.assertPlain("images");
            talk.turn(history.add(user("And now?")));
            talk.assertPlain("images");
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_gateway_that_was_started_again_begins_a_new_chain(SimEngine engine) throws IOException {
        try (var talk = new Conversation(engine).says(HELLO, MORE, HELLO)) {
            var history = history("Talk.");
            talk.turn(history);
            var again = new AgentSession("s1", "t1", false, talk.node.recorder, Sampling.NONE, Map.of());
            again.open();
            talk.node.directory.add(Node.KEY, again);
            talk.turn(history.add(user("Go on.")));
            talk.assertPlain("forgotten");
            talk.turn(history.add(user("And then?")));
            talk.assertSpliced(1, "same_text");
        }
    }

    @ParameterizedTest
    @EnumSource
    void calls_at_the_same_time_each_go_on_from_their_own_history(SimEngine engine) throws Exception {
        int agents = 8;
        try (var talk = new Conversation(engine);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            talk.turn(history("Begin."));
            var tasks = new ArrayList<Callable<JsonNode>>();
            for (int agent = 0; agent < agents; agent++) {
                var history = history("I am agent " + agent + ".");
                tasks.add(() -> {
                    for (int turn = 0; turn < 4; turn++) {
                        talk.turn(history);
                        history.add(user("Go on."));
                    }
                    return history;
                });
            }
            for (var done : threads.invokeAll(tasks)) {
                done.get();
            }
            var spliced = talk.node.recorder.entries.stream()
                    .filter(entry ->
                            entry.metadata().path("continuation").textValue().equals("spliced"))
                    .toList();
            assertThat(spliced).hasSize(3 * agents);
            for (var entry : spliced) {
                var first = entry.request().at("/messages/0/content").textValue();
                assertThat(Conversation.TOKENIZER.decode(entry.promptIds())).contains(first);
                assertThat(Conversation.TOKENIZER.decode(entry.promptIds()))
                        .isEqualTo(Conversation.TOKENIZER.decode(talk.rendering(entry)));
            }
        } catch (ExecutionException failed) {
            throw new AssertionError(failed.getCause());
        }
    }
}
