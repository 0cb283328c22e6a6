package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What Responses requests say to the engine. */
class ResponsesDecoderTest {
    private static final String PICTURE = "data:image/png;base64,iVBORw0KGgo=";

    /** The messages of these items are those messages. */
    private static void messages(String items, String messages) {
        assertThat(Bodies.text(Bodies.responses("'input':" + items).messages()))
                .isEqualTo(Bodies.text(Bodies.tree(messages)));
    }

    private static void refused(String keys, String... words) {
        assertThatThrownBy(() -> Bodies.responses(keys))
                .isInstanceOf(RefusedException.class)
                .hasMessageContainingAll(words)
                .satisfies(refused -> assertThat(
                                ((RefusedException) refused).fault().status())
                        .isEqualTo(400));
    }

    @Test
    void a_string_is_one_message_of_the_users() {
        messages("'hi'", "[{'role':'user','content':'hi'}]");
    }

    @Test
    void b17_instructions_and_leading_developer_messages_are_one_system_message_and_later_ones_keep_their_place() {
        var call = Bodies.responses("'instructions':'A','input':["
                + "{'type':'message','role':'developer','content':[{'type':'input_text','text':'B'}]},"
                + "{'role':'user','content':'hi'},{'role':'developer','content':'C'}]");
        assertThat(Bodies.text(call.messages()))
                .isEqualTo(
                        Bodies.text(
                                Bodies.tree(
                                        "[{'role':'system','content':'A\\n\\nB'},{'role':'user','content':'hi'},{'role':'system','content':'C'}]")));
    }

    @Test
    void c03_results_are_taken_as_text_and_as_parts_whose_pictures_follow_in_a_user_message() {
        messages(
                "[{'type':'function_call','call_id':'c1','name':'look','arguments':'{}'},"
                        + "{'type':'function_call','call_id':'c2','name':'look','arguments':'{}'},"
                        + "{'type':'function_call_output','call_id':'c1','output':[{'type':'input_text','text':'see'},"
                        + "{'type':'input_image','image_url':'" + PICTURE + "'}]},"
                        + "{'type':'function_call_output','call_id':'c2','output':'plain'}]",
                "[{'role':'assistant','content':null,'tool_calls':["
                        + "{'id':'c1','type':'function','function':{'name':'look','arguments':'{}'}},"
                        + "{'id':'c2','type':'function','function':{'name':'look','arguments':'{}'}}]},"
                        + "{'role':'tool','tool_call_id':'c1','content':'see'},"
                        + "{'role':'tool','tool_call_id':'c2','content':'plain'},"
                        + "{'role':'user','content':[{'type':'image_url','image_url':{'url':'" + PICTURE + "'}}]}]");
    }

    @Test
    void c08_a_replayed_message_without_id_or_status_is_accepted() {
        messages(
                "[{'role':'user','content':'hi'},{'type':'message','role':'assistant','content':[{'type':'output_text','text':'ho'}]},"
                        + "{'role':'assistant','content':'and'},{'role':'user','content':'go on'}]",
                "[{'role':'user','content':'hi'},{'role':'assistant','content':'ho'},{'role':'assistant','content':'and'},"
                        + "{'role':'user','content':'go on'}]");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[{'call_id':'c'}]                                              | input[0].type",
                "[{'type':'mystery'}]                                           | mystery",
                "['text']                                                       | input[0]",
                "[{'type':'function_call','name':'f','arguments':'{}'}]         | input[0].call_id",
                "[{'type':'function_call','call_id':'c','arguments':'{}'}]      | input[0].name",
                "[{'type':'function_call_output','output':'x'}]                 | input[0].call_id",
                "[{'role':'robot','content':'x'}]                               | input[0].role",
                "[{'role':'user'}]                                              | input[0].content",
                "[{'role':'user','content':[{'type':'input_audio'}]}]           | input_audio",
                "[{'role':'user','content':[{'type':'input_image','file_id':'f'}]}] | image_url",
                "[{'role':'user','content':[{'type':'input_file','file_id':'f'}]}]  | file_data",
                "[{'type':'item_reference','id':'msg_x'}]                       | msg_x",
                "[]                                                             | input",
                "7                                                              | input"
            })
    void c08_an_item_that_cannot_be_served_is_refused_by_name(String input, String name) {
        refused("'input':" + input, name);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'tools':[{'type':'function'}]                  | tools[0].name",
                "'tools':[{'type':'teleport','name':'t'}]       | teleport",
                "'tools':{}                                     | tools",
                "'stream':'yes'                                 | stream",
                "'background':true                              | background",
                "'conversation':'conv_1'                        | conversation",
                "'max_output_tokens':0                          | max_output_tokens",
                "'temperature':'hot'                            | temperature",
                "'tool_choice':'maybe'                          | tool_choice",
                "'text':{'format':{'type':'yaml'}}              | text.format.type",
                "'previous_response_id':7                       | previous_response_id"
            })
    void a_key_that_cannot_be_served_is_refused_by_name(String keys, String name) {
        refused("'input':'hi'," + keys, name);
    }

    @Test
    void what_one_answer_was_is_one_message_again() {
        messages(
                "[{'role':'user','content':'hi'},"
                        + "{'type':'reasoning','id':'r','summary':[],'content':[{'type':'reasoning_text','text':'hm'}]},"
                        + "{'type':'message','role':'assistant','content':[{'type':'output_text','text':'Look.'}]},"
                        + "{'type':'function_call','call_id':'c1','name':'f','arguments':'{ }'},"
                        + "{'type':'function_call_output','call_id':'c1','output':'x'},"
                        + "{'type':'reasoning','id':'r2','summary':[],'content':[{'type':'reasoning_text','text':'so'}]},"
                        + "{'type':'message','role':'assistant','content':[{'type':'output_text','text':'Done.'}]}]",
                "[{'role':'user','content':'hi'},"
                        + "{'role':'assistant','content':'Look.','reasoning_content':'hm','tool_calls':["
                        + "{'id':'c1','type':'function','function':{'name':'f','arguments':'{ }'}}]},"
                        + "{'role':'tool','tool_call_id':'c1','content':'x'},"
                        + "{'role':'assistant','content':'Done.','reasoning_content':'so'}]");
    }

    @Test
    void a_message_between_a_call_and_its_result_waits_until_after_it() {
        messages(
                "[{'type':'function_call','call_id':'c1','name':'f','arguments':'{}'},"
                        + "{'role':'user','content':'wait'},"
                        + "{'type':'function_call_output','call_id':'c1','output':'x'}]",
                "[{'role':'assistant','content':null,'tool_calls':[{'id':'c1','type':'function','function':{'name':'f','arguments':'{}'}}]},"
                        + "{'role':'tool','tool_call_id':'c1','content':'x'},{'role':'user','content':'wait'}]");
    }

    @Test
    void calls_of_one_answer_that_come_back_in_turns_with_their_results_are_one_message() {
        var session = Bodies.session();
        session.responses().made("c1", new ResponsesMemory.MadeCall("a", "{}", "{}"));
        session.responses().made("c2", new ResponsesMemory.MadeCall("a", "{}", "{}"));
        session.responses().made("c3", new ResponsesMemory.MadeCall("b", "{}", "{}"));
        var items = new StringBuilder();
        for (int i = 1; i <= 3; i++) {
            items.append("{'type':'function_call','call_id':'c%d','name':'f','arguments':'{}'},".formatted(i))
                    .append("{'type':'function_call_output','call_id':'c%d','output':'x'},".formatted(i));
        }
        var call = Bodies.responses("'input':[" + items + "{'role':'user','content':'go on'}]", session);
        assertThat(StreamSupport.stream(call.messages().spliterator(), false)
                        .map(message -> message.path("role").textValue()
                                + message.path("tool_calls").size()))
                .containsExactly("assistant2", "tool0", "tool0", "assistant1", "tool0", "user0");
    }

    @Test
    void c10_hosted_tools_are_dropped_and_counted_and_a_choice_of_one_with_them() {
        var call = Bodies.responses("'input':'hi','tools':[{'type':'web_search'},{'type':'file_search'},"
                + "{'type':'image_generation'},{'type':'function','name':'f','parameters':null}],"
                + "'tool_choice':{'type':'web_search'}");
        assertThat(Bodies.text(call.request().path("tools")))
                .isEqualTo(
                        Bodies.text(
                                Bodies.tree(
                                        "[{'type':'function','function':{'name':'f','parameters':{'type':'object','properties':{}}}}]")));
        assertThat(call.request().has("tool_choice")).isFalse();
        assertThat(call.dropped()).containsExactly("hosted_tool", "hosted_tool", "hosted_tool", "tool_choice");
    }

    @Test
    void tools_in_the_input_are_tools_like_the_others() {
        var call = Bodies.responses("'input':[{'type':'additional_tools','role':'developer','tools':["
                + "{'type':'namespace','name':'agents__','tools':[{'type':'custom','name':'spawn'}]}]},"
                + "{'role':'user','content':'hi'}]");
        assertThat(call.request().at("/tools/0/function/name").textValue()).isEqualTo("agents__spawn");
        assertThat(call.messages()).hasSize(1);
    }

    @Test
    void tools_whose_flat_names_are_the_same_stay_apart() {
        var call = Bodies.responses("'input':'hi','tools':[{'type':'function','name':'a__b'},"
                + "{'type':'namespace','name':'a','tools':[{'type':'function','name':'b'}]}]");
        var tools = ResponsesCall.of(call).tools();
        assertThat(tools.function(null, "a__b")).isEqualTo("a__b");
        assertThat(tools.function("a", "b")).isEqualTo("a__b_2");
        assertThat(tools.tool("a__b_2")).isEqualTo(new AgentTool.Function("a", "b"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'auto'                                              | 'auto'",
                "'required'                                          | 'required'",
                "'none'                                              | 'none'",
                "{'type':'function','name':'f'}                      | {'type':'function','function':{'name':'f'}}",
                "{'type':'custom','name':'f'}                        | {'type':'function','function':{'name':'f'}}",
                "{'type':'allowed_tools','mode':'auto','tools':[{'type':'function','name':'f'}]}     | 'auto'",
                "{'type':'allowed_tools','mode':'required','tools':[{'type':'function','name':'f'}]} | {'type':'function','function':{'name':'f'}}",
                "{'type':'allowed_tools','mode':'required','tools':[{'type':'function','name':'f'},{'type':'function','name':'g'}]} | 'required'"
            })
    void a_tool_choice_is_told_in_the_engines_words(String choice, String upstream) {
        var call = Bodies.responses(
                "'input':'hi','tools':[{'type':'function','name':'f'},{'type':'function','name':'g'}],'tool_choice':"
                        + choice);
        assertThat(Bodies.text(call.request().path("tool_choice"))).isEqualTo(Bodies.text(Bodies.tree(upstream)));
    }

    @Test
    void parameters_and_formats_are_told_in_the_engines_words() {
        var call = Bodies.responses("'input':'hi','max_output_tokens':9,'temperature':0.5,'top_p':0.9,"
                + "'parallel_tool_calls':false,'reasoning':{'effort':'low'},"
                + "'text':{'format':{'type':'json_schema','name':'n','strict':true,'schema':{'type':'object'}}}");
        assertThat(call.maxTokens()).hasValue(9);
        assertThat(call.wishes().oneToolCall()).isTrue();
        assertThat(call.request().path("temperature").doubleValue()).isEqualTo(0.5);
        assertThat(call.request().path("reasoning_effort").textValue()).isEqualTo("low");
        assertThat(Bodies.text(call.request().path("response_format")))
                .isEqualTo(Bodies.text(Bodies.tree(
                        "{'type':'json_schema','json_schema':{'name':'n','strict':true,'schema':{'type':'object'}}}")));
    }

    @Test
    void a_file_of_text_is_read_to_the_model() {
        messages(
                "[{'role':'user','content':[{'type':'input_text','text':'read'},"
                        + "{'type':'input_file','filename':'a.txt','file_data':'data:text/plain;base64,aMOk'}]}]",
                "[{'role':'user','content':'read\\na.txt\\nhä'}]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "not base64 at all!", "AAAA", "Z0FBQUFBQmZvcmVpZ25mb3JlaWduZm9yZWlnbmZvcmVpZ24="})
    void c07_foreign_reasoning_is_ignored(String foreign) {
        messages(
                "[{'role':'user','content':'hi'},{'type':'reasoning','summary':[{'type':'summary_text','text':'s'}],'encrypted_content':'"
                        + foreign + "'}]",
                "[{'role':'user','content':'hi'}]");
    }

    @Test
    void c07_reasoning_sealed_in_another_session_is_foreign() {
        var sealed = Bodies.session().reasoningSeal().seal("theirs");
        messages(
                "[{'role':'user','content':'hi'},{'type':'reasoning','encrypted_content':'" + sealed + "'}]",
                "[{'role':'user','content':'hi'}]");
    }
}
