package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.inference.JsonTree;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessagesDecoderTest {
    private static ChatCall decode(String body) {
        return new MessagesDialect().decode(Bodies.object(body));
    }

    private static List<String> roles(ChatCall call) {
        var roles = new ArrayList<String>();
        call.messages().forEach(message -> roles.add(message.path("role").textValue()));
        return roles;
    }

    private static JsonNode message(ChatCall call, int index) {
        return call.messages().get(index);
    }

    @Test
    void a01_reasoning_comes_back_byte_for_byte_and_its_signature_goes_nowhere() throws IOException {
        var thought = "a \"quote\", a \\ and a \n line, 日本 \uD83D\uDE42 \u0001";
        var body = Bodies.object("{'model':'m','max_tokens':9,'messages':[{'role':'user','content':'x'},"
                + "{'role':'assistant','content':[{'type':'thinking','thinking':'T','signature':'sig-1'},{'type':'text','text':'y'}]},"
                + "{'role':'user','content':'z'}]}");
        ((com.fasterxml.jackson.databind.node.ObjectNode) body.at("/messages/1/content/0")).put("thinking", thought);
        var call = new MessagesDialect()
                .decode((com.fasterxml.jackson.databind.node.ObjectNode) JsonTree.read(Bodies.text(body)));
        assertThat(message(call, 1).path("reasoning_content").textValue()).isEqualTo(thought);
        assertThat(Bodies.text(call.request())).doesNotContain("sig-1");
    }

    @Test
    void a03_an_empty_thought_with_only_a_signature_is_no_reasoning() {
        var call = Bodies.messages(
                "[{'role':'user','content':'x'},{'role':'assistant','content':["
                        + "{'type':'thinking','thinking':'','signature':'s'},{'type':'text','text':'y'}]},{'role':'user','content':'z'}]");
        assertThat(message(call, 1)).isEqualTo(Bodies.tree("{'role':'assistant','content':'y'}"));
    }

    @Test
    void a06_tool_arguments_keep_key_order_and_the_text_of_numbers() {
        var call = Bodies.messages("[{'role':'user','content':'x'},{'role':'assistant','content':["
                + "{'type':'tool_use','id':'t1','name':'f','input':{'z':1,'a':2,'n':1.0,'e':1e5,'d':0.70,'m':-0}}]},"
                + "{'role':'user','content':[{'type':'tool_result','tool_use_id':'t1','content':'ok'}]}]");
        assertThat(message(call, 1).at("/tool_calls/0/function/arguments").textValue())
                .isEqualTo("{\"z\":1,\"a\":2,\"n\":1.0,\"e\":1e5,\"d\":0.70,\"m\":-0}");
    }

    @Test
    void a07_the_billing_header_is_removed_from_a_string_and_as_a_block_of_its_own() {
        var header = "x-anthropic-billing-header: cc_version=2.1.1; cch=36ee5;";
        var asLine = decode(
                "{'model':'m','system':'" + header + "\\nYou are terse.','messages':[{'role':'user','content':'x'}]}");
        var asBlock = decode("{'model':'m','system':[{'type':'text','text':'" + header
                + "'},{'type':'text','text':'You are terse.'}],'messages':[{'role':'user','content':'x'}]}");
        var alone = decode("{'model':'m','system':'" + header + "','messages':[{'role':'user','content':'x'}]}");
        assertThat(message(asLine, 0)).isEqualTo(Bodies.tree("{'role':'system','content':'You are terse.'}"));
        assertThat(asBlock.messages()).isEqualTo(asLine.messages());
        assertThat(roles(alone)).containsExactly("user");
        assertThat(asLine.dropped()).contains("billing_header");
    }

    @Test
    void a07_the_same_words_of_a_user_stay() {
        var call = Bodies.messages("[{'role':'user','content':'x-anthropic-billing-header: cch=1;'}]");
        assertThat(message(call, 0).path("content").textValue()).isEqualTo("x-anthropic-billing-header: cch=1;");
    }

    @Test
    void a08_a_system_message_in_the_middle_keeps_its_place() {
        var call = decode(
                "{'model':'m','system':'S','messages':[{'role':'user','content':'a'},{'role':'assistant','content':'b'},"
                        + "{'role':'system','content':[{'type':'text','text':'mind'}]},{'role':'user','content':'c'}]}");
        assertThat(roles(call)).containsExactly("system", "user", "assistant", "system", "user");
        assertThat(message(call, 3).path("content").textValue()).isEqualTo("mind");
    }

    @Test
    void a08_a_system_message_does_not_come_between_a_call_and_its_results() {
        var call = Bodies.messages(
                "[{'role':'user','content':'a'},"
                        + "{'role':'assistant','content':[{'type':'tool_use','id':'t1','name':'f','input':{}},{'type':'tool_use','id':'t2','name':'f','input':{}}]},"
                        + "{'role':'system','content':'mind'},"
                        + "{'role':'user','content':[{'type':'tool_result','tool_use_id':'t1','content':'1'}]},"
                        + "{'role':'system','content':'again'},"
                        + "{'role':'user','content':[{'type':'tool_result','tool_use_id':'t2','content':'2'},{'type':'text','text':'go on'}]}]");
        assertThat(roles(call)).containsExactly("user", "assistant", "tool", "tool", "system", "system", "user");
    }

    @Test
    void a08_the_same_system_message_as_a_list_and_as_a_string_is_the_same_prompt() {
        var list = Bodies.messages(
                "[{'role':'user','content':'a'},{'role':'system','content':[{'type':'text','text':'m'}]}]");
        var string = Bodies.messages(
                "[{'role':'user','content':[{'type':'text','text':'a'}]},{'role':'system','content':'m'}]");
        assertThat(list.messages()).isEqualTo(string.messages());
    }

    @ParameterizedTest
    @ValueSource(strings = {"null|{}", "'text'|'text'", "[1,2]|[1,2]"})
    void a09_an_input_that_is_no_object_is_kept_and_null_is_an_empty_one(String row) {
        var input = row.split("\\|");
        var call = Bodies.messages("[{'role':'user','content':'x'},{'role':'assistant','content':["
                + "{'type':'tool_use','id':'t1','name':'f','input':" + input[0] + "}]}]");
        assertThat(message(call, 1).at("/tool_calls/0/function/arguments").textValue())
                .isEqualTo(input[1].replace('\'', '"'));
    }

    @Test
    void a10_neighbouring_turns_of_one_role_are_one_with_tool_calls_last() {
        var call = Bodies.messages("[{'role':'user','content':'a'},{'role':'user','content':'b'},"
                + "{'role':'assistant','content':[{'type':'tool_use','id':'t1','name':'f','input':{}},{'type':'text','text':'c'}]},"
                + "{'role':'assistant','content':'d'},"
                + "{'role':'user','content':[{'type':'tool_result','tool_use_id':'t1','content':'r'}]}]");
        assertThat(roles(call)).containsExactly("user", "assistant", "tool");
        assertThat(message(call, 0).path("content").textValue()).isEqualTo("a\nb");
        assertThat(message(call, 1).path("content").textValue()).isEqualTo("c\nd");
        assertThat(message(call, 1).at("/tool_calls/0/id").textValue()).isEqualTo("t1");
    }

    @Test
    void a12_stop_sequences_are_a_list_upstream() {
        var call = decode("{'model':'m','stop_sequences':['X'],'messages':[{'role':'user','content':'a'}]}");
        assertThat(call.request().path("stop")).isEqualTo(Bodies.tree("['X']"));
        assertThat(call.stops()).containsExactly("X");
    }

    @Test
    void a14_pictures_reach_the_model_from_each_place_where_they_can_stand() {
        var call = Bodies.messages(
                "[{'role':'user','content':["
                        + "{'type':'image','source':{'type':'base64','media_type':'image/png','data':'AAAA'}},"
                        + "{'type':'image','source':{'type':'url','url':'data:image/gif;base64,BBBB'}},{'type':'text','text':'see'}]},"
                        + "{'role':'assistant','content':[{'type':'tool_use','id':'t1','name':'f','input':{}}]},"
                        + "{'role':'user','content':[{'type':'tool_result','tool_use_id':'t1','content':["
                        + "{'type':'text','text':'shot'},{'type':'image','source':{'type':'base64','media_type':'image/jpeg','data':'CCCC'}}]}]}]");
        assertThat(message(call, 0).at("/content/0/image_url/url").textValue()).isEqualTo("data:image/png;base64,AAAA");
        assertThat(message(call, 0).at("/content/1/image_url/url").textValue()).isEqualTo("data:image/gif;base64,BBBB");
        assertThat(message(call, 2).path("content").textValue()).isEqualTo("shot");
        assertThat(message(call, 3).at("/content/0/image_url/url").textValue())
                .isEqualTo("data:image/jpeg;base64,CCCC");
    }

    @ParameterizedTest
    @ValueSource(strings = {"server_tool_use", "container_upload", "web_search_tool_result"})
    void a15_a_block_that_cannot_be_served_is_refused_by_name(String type) {
        assertThatExceptionOfType(RefusedException.class)
                .isThrownBy(() -> Bodies.messages("[{'role':'user','content':[{'type':'" + type + "'}]}]"))
                .matches(refused -> refused.fault().status() == 400)
                .withMessageContaining(type)
                .withMessageContaining("messages[0].content[0]");
    }

    @Test
    void a15_a_tool_that_the_vendors_cloud_runs_is_refused_by_name() {
        assertThatExceptionOfType(RefusedException.class)
                .isThrownBy(() -> decode("{'model':'m','tools':[{'type':'web_search_20250305','name':'web_search'}],"
                        + "'messages':[{'role':'user','content':'a'}]}"))
                .withMessageContaining("web_search_20250305");
    }

    @Test
    void a17_a_failed_result_says_so_a_list_keeps_all_its_text_and_no_content_is_empty() {
        var call = Bodies.messages("[{'role':'user','content':'a'},{'role':'assistant','content':["
                + "{'type':'tool_use','id':'1','name':'f','input':{}},{'type':'tool_use','id':'2','name':'f','input':{}},{'type':'tool_use','id':'3','name':'f','input':{}}]},"
                + "{'role':'user','content':[{'type':'tool_result','tool_use_id':'1','is_error':true,'content':'no such file'},"
                + "{'type':'tool_result','tool_use_id':'2','content':[{'type':'text','text':'x'},{'type':'text','text':'y'}]},"
                + "{'type':'tool_result','tool_use_id':'3'}]}]");
        assertThat(message(call, 2).path("content").textValue()).isEqualTo("Error: no such file");
        assertThat(message(call, 3).path("content").textValue()).isEqualTo("x\ny");
        assertThat(message(call, 4).path("content").textValue()).isEmpty();
    }

    @Test
    void a18_an_empty_list_of_tools_and_a_choice_among_none_go_nowhere() {
        var call = decode(
                "{'model':'m','tools':[],'tool_choice':{'type':'auto'},'messages':[{'role':'user','content':'a'}]}");
        assertThat(call.request().has("tools")).isFalse();
        assertThat(call.request().has("tool_choice")).isFalse();
    }

    @Test
    void a19_what_only_the_vendor_understands_is_accepted_and_ignored() {
        var call = decode(
                "{'model':'m','max_tokens':5,'metadata':{'user_id':'u'},'context_management':{'edits':[]},'thinking':{'type':'adaptive'},"
                        + "'some_new_key':1,'system':[{'type':'text','text':'S','cache_control':{'type':'ephemeral'}}],"
                        + "'tools':[{'name':'f','description':'d','input_schema':{'type':'object'},'cache_control':{'type':'ephemeral'},'defer_loading':true}],"
                        + "'messages':[{'role':'user','content':[{'type':'text','text':'a','cache_control':{'type':'ephemeral'}}]}]}");
        assertThat(call.request())
                .isEqualTo(
                        Bodies.tree(
                                "{'messages':[{'role':'system','content':'S'},{'role':'user','content':'a'}],'max_tokens':5,"
                                        + "'tools':[{'type':'function','function':{'name':'f','description':'d','parameters':{'type':'object'}}}]}"));
        assertThat(call.dropped()).contains("metadata", "context_management", "thinking", "unknown_key");
    }

    @Test
    void a_tool_choice_is_told_in_the_engines_words() {
        var tools =
                "'tools':[{'name':'f','input_schema':{'type':'object'}}],'messages':[{'role':'user','content':'a'}]}";
        assertThat(decode("{'tool_choice':{'type':'any'}," + tools)
                        .request()
                        .path("tool_choice")
                        .textValue())
                .isEqualTo("required");
        assertThat(decode("{'tool_choice':{'type':'tool','name':'f'}," + tools)
                        .request()
                        .at("/tool_choice/function/name")
                        .textValue())
                .isEqualTo("f");
        var one = decode("{'tool_choice':{'type':'auto','disable_parallel_tool_use':true}," + tools);
        assertThat(one.wishes().oneToolCall()).isTrue();
        assertThat(one.request().path("parallel_tool_calls").booleanValue()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{'messages':[]}",
                "{'messages':'x'}",
                "{'messages':[1]}",
                "{'messages':[{'role':'robot','content':'x'}]}",
                "{'messages':[{'role':'user'}]}",
                "{'messages':[{'role':'user','content':[1]}]}",
                "{'messages':[{'role':'user','content':[{'type':'text'}]}]}",
                "{'system':5,'messages':[{'role':'user','content':'x'}]}",
                "{'max_tokens':'many','messages':[{'role':'user','content':'x'}]}",
                "{'stop_sequences':'X','messages':[{'role':'user','content':'x'}]}",
                "{'tools':[{}],'messages':[{'role':'user','content':'x'}]}",
                "{'tools':{'a':1},'messages':[{'role':'user','content':'x'}]}",
                "{'messages':[{'role':'user','content':[{'type':'image'}]}]}",
                "{'messages':[{'role':'assistant','content':[{'type':'tool_use','input':{}}]}]}"
            })
    void what_does_not_fit_is_refused_with_400(String body) {
        assertThatExceptionOfType(RefusedException.class)
                .isThrownBy(() -> decode(body))
                .matches(refused -> refused.fault().status() == 400);
    }
}
