package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How engine answers look as Responses. */
class ResponsesEncoderTest {
    private static final String TOOLS =
            "'tools':[{'type':'function','name':'f'},{'type':'custom','name':'patch'},{'type':'local_shell'}]";

    private final AgentSession session = Bodies.session();

    private static Reply reply(String message, String finish) {
        return Reply.of(Answers.of("{'choices':[{'finish_reason':'" + finish + "','message':" + message
                + "}],'usage':{'prompt_tokens':3}}"));
    }

    private static ObjectNode made(String... calls) {
        var body = Bodies.object(
                "{'choices':[{'finish_reason':'tool_calls','message':{'content':null,'tool_calls':[]}}]}");
        for (int i = 0; i < calls.length; i += 2) {
            var call =
                    body.withArray("/choices/0/message/tool_calls").addObject().put("id", "c" + i);
            call.putObject("function").put("name", calls[i]).put("arguments", calls[i + 1]);
        }
        return body;
    }

    private static Reply calls(String... calls) {
        return Reply.of(Answers.of(Bodies.text(made(calls))));
    }

    private JsonNode encode(String keys, Reply reply) {
        return new ResponsesDialect(session).encode(Bodies.responses("'input':'hi'," + keys, session), reply);
    }

    /** What the engine gets where the agent sends back the answer to a request as it came. */
    private JsonNode sentBack(JsonNode response) {
        var body = Bodies.object("{'model':'m'," + TOOLS + "}");
        body.set("input", response.path("output"));
        return new ResponsesDialect(session).decode(body).messages();
    }

    @Test
    void b09_usage_that_the_engine_does_not_tell_is_zeros() {
        var usage = encode("'store':true", reply("{'content':'a'}", "stop")).path("usage");
        assertThat(Bodies.text(usage))
                .isEqualTo(Bodies.text(Bodies.tree("{'input_tokens':3,"
                        + "'input_tokens_details':{'cached_tokens':0,'cache_write_tokens':0},'output_tokens':1,"
                        + "'output_tokens_details':{'reasoning_tokens':0},'total_tokens':4}")));
    }

    @ParameterizedTest
    @CsvSource({
        "stop,completed,",
        "tool_calls,completed,",
        "length,incomplete,max_output_tokens",
        "content_filter,incomplete,content_filter"
    })
    void c04_what_ended_an_answer_decides_its_status(String finish, String status, String reason) {
        var response = encode("'store':true", reply("{'content':'a'}", finish));
        assertThat(response.path("status").textValue()).isEqualTo(status);
        assertThat(response.at("/incomplete_details/reason").textValue()).isEqualTo(reason);
    }

    @Test
    void b12_an_answer_of_reasoning_alone_comes_back_as_what_it_was() {
        var response = encode("'store':false", reply("{'content':null,'reasoning':'hm'}", "stop"));
        assertThat(response.path("output")).hasSize(1);
        assertThat(Bodies.text(sentBack(response)))
                .isEqualTo(Bodies.text(Bodies.tree("[{'role':'assistant','content':'','reasoning_content':'hm'}]")));
    }

    @Test
    void b12_an_empty_answer_comes_back_as_an_empty_turn() {
        var response = encode("'store':false", reply("{'content':''}", "stop"));
        assertThat(response.at("/output/0/content/0/text").textValue()).isEmpty();
        assertThat(Bodies.text(sentBack(response)))
                .isEqualTo(Bodies.text(Bodies.tree("[{'role':'assistant','content':''}]")));
    }

    @Test
    void a_refusal_is_a_part_of_its_own() {
        var response = encode("'store':false", reply("{'content':null,'refusal':'no'}", "stop"));
        assertThat(response.at("/output/0/content")).hasSize(1);
        assertThat(response.at("/output/0/content/0/refusal").textValue()).isEqualTo("no");
    }

    @Test
    void reasoning_is_a_summary_only_where_one_was_asked_for() {
        var reply = reply("{'content':'a','reasoning':'hm'}", "stop");
        assertThat(encode("'reasoning':{'summary':null}", reply).at("/output/0/summary"))
                .isEmpty();
        assertThat(encode("'reasoning':{'summary':'auto'}", reply)
                        .at("/output/0/summary/0/text")
                        .textValue())
                .isEqualTo("hm");
        assertThat(encode("'store':true", reply).at("/output/0").has("encrypted_content"))
                .isFalse();
    }

    @Test
    void b22_an_agent_that_wants_one_call_gets_one() {
        var response = encode("'parallel_tool_calls':false," + TOOLS, calls("f", "{}", "f", "{\"a\":1}"));
        assertThat(response.path("output")).hasSize(1);
        assertThat(response.path("parallel_tool_calls").booleanValue()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"input\": \"a\\tb\"}",
                "{ \"input\":\"\\u00e4\" }",
                "{\"input\": 7}",
                "{\"other\": \"x\"}",
                "not json",
                "",
                "\"s\""
            })
    void c01_whatever_a_model_wrote_for_a_custom_tool_comes_back_as_it_wrote_it(String arguments) {
        var response = encode(TOOLS, calls("patch", arguments));
        assertThat(response.at("/output/0/type").textValue()).isEqualTo("custom_tool_call");
        assertThat(sentBack(response).at("/0/tool_calls/0/function/arguments").textValue())
                .isEqualTo(arguments);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"command\": [\"ls\", 7]}", "{\"command\": \"ls\"}", "{\"command\": []}", "not json"})
    void b14_a_local_shell_call_without_a_command_reaches_the_agent_as_it_is(String arguments) {
        var response = encode(TOOLS, calls("local_shell", arguments));
        assertThat(response.at("/output/0/type").textValue()).isEqualTo("function_call");
        assertThat(response.at("/output/0/arguments").textValue()).isEqualTo(arguments);
        assertThat(sentBack(response).at("/0/tool_calls/0/function/arguments").textValue())
                .isEqualTo(arguments);
    }

    @Test
    void a_call_of_a_tool_that_the_agent_has_not_is_a_function_call() {
        var response = encode(TOOLS, calls("nobody", "{\"a\": 1.0}"));
        assertThat(response.at("/output/0/name").textValue()).isEqualTo("nobody");
        assertThat(response.at("/output/0/arguments").textValue()).isEqualTo("{\"a\": 1.0}");
    }

    @Test
    void c11_items_are_found_again_by_their_ids() {
        var response = encode("'store':true", reply("{'content':'a','reasoning':'hm'}", "stop"));
        var references = response.path("output").findValuesAsText("id").stream()
                .map(id -> "{'type':'item_reference','id':'" + id + "'}")
                .toList();
        assertThat(references).hasSize(2);
        var call = Bodies.responses("'input':[" + String.join(",", references) + "]", session);
        assertThat(Bodies.text(call.messages()))
                .isEqualTo(Bodies.text(Bodies.tree("[{'role':'assistant','content':'a','reasoning_content':'hm'}]")));
    }

    @Test
    void c07_reasoning_that_comes_back_by_its_id_alone_is_found_again() {
        var response = encode("'store':true", reply("{'content':'a','reasoning':'hm'}", "stop"));
        var item = "{'type':'reasoning','summary':[],'id':'"
                + response.at("/output/0/id").textValue() + "'}";
        var call = Bodies.responses("'input':[" + item + ",{'role':'assistant','content':'a'}]", session);
        assertThat(call.messages().at("/0/reasoning_content").textValue()).isEqualTo("hm");
    }

    @Test
    void c06_a_failure_before_anything_was_said_is_a_whole_stream() throws IOException {
        var stream = new ResponsesDialect(session).stream(Bodies.responses("'input':'hi'", session));
        var events = Node.events(new String(stream.error(Fault.of(502, "gone")), StandardCharsets.UTF_8));
        assertThat(events.stream().map(event -> event.path("type").textValue()))
                .containsExactly("response.created", "response.in_progress", "response.failed");
        assertThat(events.getLast().at("/response/error/code").textValue()).isEqualTo("server_error");
    }

    @ParameterizedTest
    @CsvSource({"400,invalid_prompt", "422,invalid_prompt", "429,server_error", "500,server_error", "503,server_error"})
    void c06_a_failure_has_a_code_that_agents_act_upon(int status, String code) {
        var failed = ResponsesEncoder.failed(Bodies.responses("'input':'hi'"), Fault.of(status, "why"));
        assertThat(failed.at("/error/code").textValue()).isEqualTo(code);
    }

    @Test
    void events_name_items_that_carry_nothing_before_their_deltas() throws IOException {
        var call = Bodies.responses("'input':'hi','reasoning':{'summary':'auto'}," + TOOLS, session);
        var reply = calls("f", "{}", "patch", "{\"input\":\"x\"}", "local_shell", "{\"command\":[\"ls\"]}");
        var events = Node.events(
                new String(new ResponsesDialect(session).stream(call).answer(reply), StandardCharsets.UTF_8));
        var added = events.stream()
                .filter(event -> event.path("type").textValue().equals("response.output_item.added"))
                .map(event -> event.path("item"))
                .toList();
        assertThat(added).hasSize(3);
        assertThat(added).allMatch(item -> item.path("status").textValue().equals("in_progress"));
        assertThat(added.get(0).path("arguments").textValue()).isEmpty();
        assertThat(added.get(1).path("input").textValue()).isEmpty();
        assertThat(events.getLast().at("/response/output").findValuesAsText("status"))
                .isEqualTo(List.of("completed", "completed", "completed"));
    }
}
