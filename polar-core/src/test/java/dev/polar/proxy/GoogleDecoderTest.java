package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of a generateContent request. */
class GoogleDecoderTest {
    private final ReasoningSeal seal = new ReasoningSeal();

    private ChatCall decode(String body) {
        return new GoogleDecoder(Bodies.object(body), seal).decode("m", false);
    }

    private ChatCall contents(String contents) {
        return decode("{'contents':" + contents + "}");
    }

    /** A request that says hi, with more. */
    private ChatCall hi(String more) {
        return decode("{'contents':[{'parts':[{'text':'hi'}]}]," + more + "}");
    }

    private void refused(String body, String why) {
        assertThatThrownBy(() -> decode(body))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining(why);
    }

    private static String toolMessages(ChatCall call) {
        var text = new StringBuilder();
        for (var message : call.messages()) {
            if ("tool".equals(message.path("role").textValue())) {
                text.append(message.path("tool_call_id").textValue())
                        .append('=')
                        .append(message.path("content").textValue())
                        .append(' ');
            }
        }
        return text.toString().strip();
    }

    private static final String TWO_CALLS = "[{'role':'user','parts':[{'text':'go'}]},{'role':'model','parts':["
            + "{'functionCall':{'name':'f','args':{'n':1}}},{'functionCall':{'name':'f','args':{'n':2}}},"
            + "{'functionCall':{'name':'g','args':{}}}]},";

    @Test
    void d01_calls_without_ids_are_paired_by_name_in_order_and_their_ids_are_deterministic() {
        var body = TWO_CALLS + "{'role':'user','parts':["
                + "{'functionResponse':{'name':'g','response':{'output':'G'}}},"
                + "{'functionResponse':{'name':'f','response':{'output':'F1'}}},"
                + "{'functionResponse':{'name':'f','response':{'output':'F2'}}}]}]";
        var call = contents(body);
        assertThat(toolMessages(call)).isEqualTo("call_0=F1 call_1=F2 call_2=G");
        assertThat(call.messages().at("/1/tool_calls/1/id").textValue()).isEqualTo("call_1");
        assertThat(contents(body).request()).isEqualTo(call.request());
    }

    @Test
    void d01_results_with_ids_go_to_their_calls_whatever_their_order() {
        var call = contents("[{'role':'model','parts':[{'functionCall':{'id':'a','name':'f','args':{}}},"
                + "{'functionCall':{'id':'b','name':'f','args':{}}},{'functionCall':{'name':'f','args':{}}}]},"
                + "{'role':'function','parts':[{'functionResponse':{'name':'f','response':{'output':'third'}}},"
                + "{'functionResponse':{'id':'b','name':'f','response':{'output':'B'}}},"
                + "{'functionResponse':{'id':'a','name':'f','response':{'output':'A'}}}]}]");
        assertThat(toolMessages(call)).isEqualTo("a=A b=B call_0=third");
    }

    @Test
    void d01_an_agents_prefix_before_our_id_is_taken_off_again() {
        var call = contents("[{'role':'model','parts':[{'functionCall':{'id':'read__call_7','name':'read'}}]},"
                + "{'parts':[{'functionResponse':{'id':'read__call_7','name':'read','response':{'output':'x'}}}]}]");
        assertThat(call.messages().at("/0/tool_calls/0/id").textValue()).isEqualTo("call_7");
        assertThat(toolMessages(call)).isEqualTo("call_7=x");
    }

    @Test
    void d02_parallel_results_in_separate_contents_are_one_tool_message_each_right_after_the_call() {
        var call = contents(TWO_CALLS
                + "{'role':'user','parts':[{'functionResponse':{'name':'f','response':{'output':'F1'}}}]},"
                + "{'role':'user','parts':[{'text':'and now?'},{'functionResponse':{'name':'f','response':{'output':'F2'}}}]},"
                + "{'role':'function','parts':[{'functionResponse':{'name':'g','response':{'output':'G'}}}]}]");
        assertThat(call.messages())
                .extracting(message -> message.path("role").textValue())
                .containsExactly("user", "assistant", "tool", "tool", "tool", "user");
        assertThat(toolMessages(call)).isEqualTo("call_0=F1 call_1=F2 call_2=G");
        assertThat(call.messages().at("/5/content").textValue()).isEqualTo("and now?");
    }

    @Test
    void d02_a_result_says_whether_it_failed_and_an_object_is_the_result_itself() {
        var call = contents("[{'role':'model','parts':[{'functionCall':{'id':'a','name':'f'}},"
                + "{'functionCall':{'id':'b','name':'f'}},{'functionCall':{'id':'c','name':'f'}},{'functionCall':{'id':'d','name':'f'}}]},"
                + "{'parts':[{'functionResponse':{'id':'a','name':'f','response':{'error':'no file'}}},"
                + "{'functionResponse':{'id':'b','name':'f','response':{'z':1.0,'a':[2]}}},"
                + "{'functionResponse':{'id':'c','name':'f','response':{'output':{'n':1.50}}}},"
                + "{'functionResponse':{'id':'d','name':'f'}}]}]");
        assertThat(toolMessages(call)).isEqualTo("a=Error: no file b={\"z\":1.0,\"a\":[2]} c={\"n\":1.50} d=");
    }

    @Test
    void d03_parameters_in_google_words_become_a_json_schema() {
        var call =
                hi("'tools':[{'functionDeclarations':[{'name':'f','description':'does','parameters':{'type':'OBJECT',"
                        + "'propertyOrdering':['b','type'],'required':['b'],'properties':{"
                        + "'b':{'type':'STRING','nullable':true,'enum':['x','y'],'format':'enum'},"
                        + "'type':{'type':'ARRAY','minItems':'2','items':{'type':'INTEGER','nullable':false}},"
                        + "'c':{'anyOf':[{'type':'NUMBER'},{'type':'BOOLEAN'}],'nullable':true}}}}]}]");
        assertThat(Bodies.text(call.request().at("/tools/0/function")))
                .isEqualTo(("{'name':'f','description':'does',"
                                + "'parameters':{'type':'object','required':['b'],'properties':{"
                                + "'b':{'type':['string','null'],'enum':['x','y',null]},"
                                + "'type':{'type':'array','minItems':2,'items':{'type':'integer'}},"
                                + "'c':{'anyOf':[{'type':'number'},{'type':'boolean'},{'type':'null'}]}}}}")
                        .replace('\'', '"'));
    }

    @Test
    void d03_a_json_schema_comes_through_as_it_is_without_its_dialect() {
        var schema = "{'type':'object','properties':{'$schema':{'type':'string'},'n':{'type':['number','null'],"
                + "'exclusiveMinimum':1.50}},'$defs':{'x':{'const':null}},'additionalProperties':false}";
        var call = hi("'tools':[{'function_declarations':[{'name':'f','parametersJsonSchema':"
                + schema.replaceFirst("\\{", "{'\\$schema':'http://json-schema.org/draft-07/schema#',") + "}]}]");
        assertThat(Bodies.text(call.request().at("/tools/0/function/parameters")))
                .isEqualTo(schema.replace('\'', '"'));
    }

    @Test
    void d03_a_function_without_parameters_takes_an_empty_object() {
        var call = hi("'tools':[{'functionDeclarations':[{'name':'f'}]}]");
        assertThat(call.request().at("/tools/0/function/parameters"))
                .isEqualTo(Bodies.tree("{'type':'object','properties':{}}"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'mode':'AUTO'} | 'auto' | 2",
                "{'mode':'NONE'} | 'none' | 2",
                "{'mode':'ANY'} | 'required' | 2",
                "{'mode':'ANY','allowedFunctionNames':['f','g']} | 'required' | 2",
                "{'mode':'ANY','allowed_function_names':['g']} | {'type':'function','function':{'name':'g'}} | 1",
                "{'mode':'VALIDATED'} | 'auto' | 2"
            },
            quoteCharacter = '`')
    void the_mode_of_function_calling_is_a_tool_choice(String config, String choice, int tools) {
        var call = hi("'tools':[{'functionDeclarations':[{'name':'f'},{'name':'g'}]}],"
                + "'toolConfig':{'functionCallingConfig':" + config + "}");
        assertThat(call.request().get("tool_choice")).isEqualTo(Bodies.tree(choice));
        assertThat(call.request().path("tools")).hasSize(tools);
    }

    @Test
    void a_function_that_may_be_called_must_be_declared() {
        refused(
                "{'contents':[{'parts':[{'text':'hi'}]}],'toolConfig':{'functionCallingConfig':{'mode':'ANY','allowedFunctionNames':['h']}}}",
                "'h'");
    }

    @Test
    void d06_what_was_sealed_is_what_the_model_thought_whichever_part_carries_it() {
        var thought = "Hm \\\"quoted\\\"\\n\\t\\u00e9 🙂";
        var text = Bodies.parsed("\"" + thought + "\"").textValue();
        var signature = seal.seal(text);
        var inThought = contents("[{'parts':[{'text':'a'}]},{'role':'model','parts':[{'text':'" + thought
                + "','thought':true,'thoughtSignature':'" + signature + "'},{'text':'b'}]}]");
        var beside = contents("[{'parts':[{'text':'a'}]},{'role':'model','parts':[{'text':'b','thoughtSignature':'"
                + signature + "'}]}]");
        assertThat(inThought.messages().at("/1/reasoning_content").textValue()).isEqualTo(text);
        assertThat(beside.request()).isEqualTo(inThought.request());
        assertThat(Bodies.text(beside.request())).doesNotContain(signature);
    }

    @Test
    void d06_a_foreign_signature_is_accepted_and_ignored_and_never_sent_upstream() {
        var foreign = new ReasoningSeal().seal("other");
        for (var signature : new String[] {"skip_thought_signature_validator", foreign}) {
            var call = contents("[{'parts':[{'text':'a'}]},{'role':'model','parts':[{'text':'hm','thought':true},"
                    + "{'functionCall':{'name':'f'},'thoughtSignature':'" + signature + "'}]}]");
            assertThat(call.messages().at("/1/reasoning_content").textValue()).isEqualTo("hm");
            assertThat(Bodies.text(call.request())).doesNotContain(signature);
            assertThat(call.dropped()).contains("foreign_thought_signature");
        }
    }

    @Test
    void d07_pictures_reach_the_model_wherever_they_stand() {
        var call = contents("[{'parts':[{'text':'see'},{'inlineData':{'mimeType':'image/png','data':'_-8='}},"
                + "{'file_data':{'mime_type':'image/jpeg','file_uri':'https://x/y.jpg'}}]},"
                + "{'role':'model','parts':[{'functionCall':{'id':'a','name':'f'}}]},"
                + "{'parts':[{'functionResponse':{'id':'a','name':'f','response':{'output':'done'},"
                + "'parts':[{'inlineData':{'mimeType':'image/gif','data':'AAAA'}}]}}]}]");
        assertThat(call.messages().get(0).path("content"))
                .isEqualTo(Bodies.tree("[{'type':'text','text':'see'},"
                        + "{'type':'image_url','image_url':{'url':'data:image/png;base64,/+8='}},"
                        + "{'type':'image_url','image_url':{'url':'https://x/y.jpg'}}]"));
        assertThat(toolMessages(call)).isEqualTo("a=done");
        assertThat(call.messages().at("/3/content/0/image_url/url").textValue())
                .isEqualTo("data:image/gif;base64,AAAA");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'be kind'",
                "{'parts':[{'text':'be kind'}]}",
                "{'role':'system','parts':[{'text':'be kind'}]}",
                "[{'text':'be kind'}]"
            },
            quoteCharacter = '`')
    void d07_a_system_instruction_is_one_system_message_in_each_of_its_forms(String form) {
        for (var key : new String[] {"systemInstruction", "system_instruction"}) {
            var call = hi("'" + key + "':" + form);
            assertThat(call.messages().get(0)).isEqualTo(Bodies.tree("{'role':'system','content':'be kind'}"));
        }
    }

    @Test
    void d08_a_response_schema_is_a_response_format() {
        var call = hi("'generationConfig':{'responseMimeType':'application/json','responseSchema':"
                + "{'type':'OBJECT','properties':{'a':{'type':'INTEGER'}}}}");
        assertThat(call.request().path("response_format"))
                .isEqualTo(
                        Bodies.tree(
                                "{'type':'json_schema','json_schema':"
                                        + "{'name':'output','strict':true,'schema':{'type':'object','properties':{'a':{'type':'integer'}}}}}"));
        assertThat(
                        hi("'generationConfig':{'responseMimeType':'application/json','responseJsonSchema':{'type':'array'}}")
                                .request()
                                .at("/response_format/json_schema/schema/type")
                                .textValue())
                .isEqualTo("array");
        assertThat(hi("'generation_config':{'response_mime_type':'application/json'}")
                        .request()
                        .at("/response_format/type")
                        .textValue())
                .isEqualTo("json_object");
        assertThat(hi("'generationConfig':{'responseMimeType':'text/plain'}")
                        .request()
                        .has("response_format"))
                .isFalse();
    }

    @Test
    void parameters_have_the_engines_names_and_the_agents_numbers() {
        var request = hi("'generationConfig':{'temperature':0.70,'topP':1,'topK':40,'maxOutputTokens':9,'seed':7,"
                        + "'stopSequences':['X'],'presencePenalty':0.5,'frequencyPenalty':-1,'candidateCount':1,"
                        + "'thinkingConfig':{'includeThoughts':true,'thinkingBudget':-1}}")
                .request();
        request.remove("messages");
        assertThat(Bodies.text(request))
                .isEqualTo("{\"temperature\":0.70,\"top_p\":1,\"top_k\":40,\"max_tokens\":9,\"seed\":7,"
                        + "\"stop\":[\"X\"],\"presence_penalty\":0.5,\"frequency_penalty\":-1}");
    }

    @Test
    void b13_more_than_one_candidate_is_refused() {
        refused("{'contents':[{'parts':[{'text':'hi'}]}],'generationConfig':{'candidateCount':2}}", "candidateCount");
    }

    @Test
    void the_vendors_own_matters_are_dropped_by_name_and_its_tools_too() {
        var call = hi("'safetySettings':[{'category':'X','threshold':'OFF'}],'labels':{},'tools':[{'googleSearch':{}},"
                + "{'url_context':{}},{'codeExecution':{}}],'toolConfig':{'retrievalConfig':{}},'news':1");
        assertThat(call.dropped())
                .contains(
                        "safetySettings",
                        "labels",
                        "hosted_tool:googleSearch",
                        "hosted_tool:urlContext",
                        "hosted_tool:codeExecution",
                        "tool_config",
                        "unknown_key");
        assertThat(call.request().has("tools")).isFalse();
    }

    @Test
    void a_models_text_in_several_parts_is_what_it_wrote() {
        var call = contents("[{'parts':[{'text':'a'}]},{'role':'model','parts':[{'text':'Hel'},{'text':'lo'}]},"
                + "{'role':'model','parts':[{'text':'!'}]}]");
        assertThat(call.messages().at("/1/content").textValue()).isEqualTo("Hello!");
        assertThat(call.messages()).hasSize(2);
    }

    @Test
    void a06_arguments_keep_their_key_order_and_number_text() {
        var call = contents("[{'role':'model','parts':[{'functionCall':{'name':'f','args':{'z':1,'a':2,'n':1.0}}}]}]");
        JsonNode arguments = call.messages().at("/0/tool_calls/0/function/arguments");
        assertThat(arguments.textValue()).isEqualTo("{\"z\":1,\"a\":2,\"n\":1.0}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | contents",
                "{'contents':[]} | contents",
                "{'contents':'hi'} | contents",
                "{'contents':[1]} | contents[0]",
                "{'contents':[{'role':'assistant','parts':[]}]} | contents[0].role",
                "{'contents':[{'parts':[{}]}]} | contents[0].parts[0]",
                "{'contents':[{'parts':[{'text':1}]}]} | contents[0].parts[0].text",
                "{'contents':[{'parts':[{'executableCode':{}}]}]} | executableCode",
                "{'contents':[{'parts':[{'inlineData':{'mimeType':'audio/wav','data':''}}]}]} | audio/wav",
                "{'contents':[{'parts':[{'fileData':{'fileUri':'gs://b/o'}}]}]} | gs://b/o",
                "{'contents':[{'parts':[{'functionCall':{'name':'f'}}]}]} | belongs to the model",
                "{'contents':[{'role':'model','parts':[{'functionResponse':{'name':'f'}}]}]} | belongs to the user",
                "{'contents':[{'role':'model','parts':[{'functionCall':{}}]}]} | functionCall.name",
                "{'contents':[{'role':'model','parts':[{'functionCall':{'name':'f','args':'x'}}]}]} | functionCall.args",
                "{'contents':[{'parts':[]}],'tools':[{'computerUse':{}}]} | computerUse",
                "{'contents':[{'parts':[]}],'cachedContent':'cachedContents/1'} | cachedContent",
                "{'contents':[{'parts':[]}],'generationConfig':{'temperature':'hot'}} | generationConfig.temperature",
                "{'contents':[{'parts':[]}],'generationConfig':{'responseMimeType':'text/x.enum'}} | responseMimeType",
                "{'contents':[{'parts':[]}],'generationConfig':{'responseModalities':['IMAGE']}} | responseModalities"
            },
            quoteCharacter = '`')
    void what_cannot_be_served_is_refused_by_name_and_place(String body, String why) {
        refused(body, why);
    }
}
