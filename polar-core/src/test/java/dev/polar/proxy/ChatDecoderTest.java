package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChatDecoderTest {
    private static ChatCall decode(String body) {
        return new ChatDialect().decode(Bodies.object(body));
    }

    @Test
    void b06_the_modern_limit_wins_over_the_old_one() {
        var call = decode("{'max_tokens':5,'max_completion_tokens':7,'messages':[{'role':'user','content':'a'}]}");
        assertThat(call.request().path("max_tokens").intValue()).isEqualTo(7);
        assertThat(call.request().has("max_completion_tokens")).isFalse();
    }

    @Test
    void b12_reasoning_empty_text_and_null_content_with_calls_are_all_valid_history() {
        var call = Bodies.chat("[{'role':'user','content':'a'},"
                + "{'role':'assistant','content':'','reasoning_content':'hm'},"
                + "{'role':'assistant','reasoning':'so','content':null},"
                + "{'role':'assistant','content':null,'tool_calls':[{'id':'c','type':'function','function':{'name':'f','arguments':'{}'}}]},"
                + "{'role':'tool','tool_call_id':'c','content':'r'}]");
        assertThat(call.messages().get(1).path("reasoning_content").textValue()).isEqualTo("hm");
        assertThat(call.messages().get(2).path("reasoning_content").textValue()).isEqualTo("so");
        assertThat(call.messages().get(3).at("/tool_calls/0/function/name").textValue())
                .isEqualTo("f");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "0", "'1'", "1.5"})
    void b13_more_than_one_choice_is_refused(String count) {
        assertThatExceptionOfType(RefusedException.class)
                .isThrownBy(() -> decode("{'n':" + count + ",'messages':[{'role':'user','content':'a'}]}"))
                .matches(refused -> refused.fault().status() == 400)
                .withMessageStartingWith("n: ");
    }

    @Test
    void b17_leading_system_and_developer_messages_are_one_and_later_ones_keep_their_place() {
        var call = Bodies.chat(
                "[{'role':'system','content':'a'},{'role':'developer','content':[{'type':'text','text':'b'}]},"
                        + "{'role':'user','content':'c'},{'role':'developer','content':'d'}]");
        assertThat(call.messages())
                .isEqualTo(
                        Bodies.tree(
                                "[{'role':'system','content':'a\\n\\nb'},{'role':'user','content':'c'},{'role':'system','content':'d'}]"));
    }

    @Test
    void b19_what_the_agent_asks_to_see_is_remembered_and_not_passed_on() {
        var call = decode(
                "{'include_reasoning':false,'return_token_ids':true,'logprobs':true,'top_logprobs':2,'stream':true,"
                        + "'stream_options':{'include_usage':true},'messages':[{'role':'user','content':'a'}]}");
        assertThat(call.request().properties()).hasSize(1);
        assertThat(call.wishes()).isEqualTo(new ChatCall.Wishes(true, true, 2, true, false));
    }

    @Test
    void text_parts_are_the_same_prompt_as_their_text() {
        assertThat(Bodies.chat("[{'role':'tool','tool_call_id':'c','content':[{'type':'text','text':'r'}]}]")
                        .messages())
                .isEqualTo(Bodies.chat("[{'role':'tool','tool_call_id':'c','content':'r'}]")
                        .messages());
    }

    @Test
    void what_an_engine_may_understand_is_passed_on_as_it_came_and_nulls_are_absent() {
        var call =
                decode("{'temperature':0.70,'chat_template_kwargs':{'enable_thinking':false},'top_p':null,'store':true,"
                        + "'messages':[{'role':'user','content':'a','name':'bob'}]}");
        assertThat(Bodies.text(call.request()))
                .isEqualTo(
                        "{\"messages\":[{\"role\":\"user\",\"content\":\"a\",\"name\":\"bob\"}],\"temperature\":0.70,"
                                + "\"chat_template_kwargs\":{\"enable_thinking\":false}}");
        assertThat(call.dropped()).containsExactly("store");
    }

    @Test
    void the_agents_own_request_is_not_changed() {
        var body = Bodies.object(
                "{'model':'m','messages':[{'role':'assistant','tool_calls':[{'id':'c','function':{'name':'f','arguments':{'a':1}}}]}]}");
        var before = body.deepCopy();
        var call = new ChatDialect().decode(body);
        assertThat(call.messages().get(0).at("/tool_calls/0/function/arguments").textValue())
                .isEqualTo("{\"a\":1}");
        assertThat(body).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{'messages':null}",
                "{'messages':[]}",
                "{'messages':[null]}",
                "{'messages':[{'content':'x'}]}",
                "{'messages':[{'role':'alien','content':'x'}]}",
                "{'messages':[{'role':'user'}]}",
                "{'messages':[{'role':'user','content':7}]}",
                "{'messages':[{'role':'user','content':['x']}]}",
                "{'messages':[{'role':'assistant','tool_calls':{'a':1}}]}",
                "{'messages':[{'role':'assistant','tool_calls':[{'function':{}}]}]}",
                "{'stream':'yes','messages':[{'role':'user','content':'x'}]}",
                "{'model':5,'messages':[{'role':'user','content':'x'}]}"
            })
    void what_does_not_fit_is_refused_with_400(String body) {
        assertThatExceptionOfType(RefusedException.class)
                .isThrownBy(() -> decode(body))
                .matches(refused -> refused.fault().status() == 400);
    }
}
