package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.spi.Sampling;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Valid bodies with parts removed, retyped, nested, repeated: decoded, or refused with a 4xx; nothing else. */
class DecoderFuzzTest {
    private static final int BODIES = 20_000;
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final Reply REPLY =
            Reply.of(Answers.of("{'choices':[{'finish_reason':'tool_calls','message':{'reasoning':'r','content':'c',"
                    + "'tool_calls':[{'id':'c','function':{'name':'f','arguments':'{}'}}]}}]}"));

    private static final String CHAT =
            "{'model':'m','stream':true,'stream_options':{'include_usage':true},'n':1,'logprobs':true,'top_logprobs':2,'stop':['a'],"
                    + "'max_completion_tokens':5,'parallel_tool_calls':false,'tool_choice':{'type':'function','function':{'name':'f'}},"
                    + "'tools':[{'type':'function','function':{'name':'f','parameters':{'type':'object'},'strict':true}}],"
                    + "'messages':[{'role':'system','content':'s'},{'role':'developer','content':[{'type':'text','text':'d'}]},"
                    + "{'role':'user','content':[{'type':'text','text':'u'},{'type':'image_url','image_url':{'url':'data:image/png;base64,AA'}}]},"
                    + "{'role':'assistant','content':null,'reasoning_content':'r','tool_calls':[{'id':'c','type':'function','function':{'name':'f','arguments':'{}'}}]},"
                    + "{'role':'tool','tool_call_id':'c','content':'ok'}]}";
    private static final String MESSAGES =
            "{'model':'m','max_tokens':5,'stream':true,'system':[{'type':'text','text':'s','cache_control':{'type':'ephemeral'}}],"
                    + "'stop_sequences':['x'],'temperature':1,'top_k':5,'thinking':{'type':'adaptive'},'tool_choice':{'type':'tool','name':'f'},"
                    + "'output_config':{'format':{'type':'json_schema','schema':{}}},"
                    + "'tools':[{'name':'f','description':'d','input_schema':{'type':'object'}}],"
                    + "'messages':[{'role':'user','content':'u'},{'role':'assistant','content':[{'type':'thinking','thinking':'t','signature':'s'},"
                    + "{'type':'text','text':'a'},{'type':'tool_use','id':'1','name':'f','input':{'k':1}}]},{'role':'system','content':'s2'},"
                    + "{'role':'user','content':[{'type':'tool_result','tool_use_id':'1','is_error':true,'content':[{'type':'text','text':'x'},"
                    + "{'type':'image','source':{'type':'base64','media_type':'image/png','data':'AA'}}]},"
                    + "{'type':'document','source':{'type':'text','data':'doc'}},{'type':'image','source':{'type':'url','url':'http://x'}}]}]}";

    private static final String GOOGLE =
            "{'systemInstruction':{'parts':[{'text':'s'}]},'contents':[{'role':'user','parts':[{'text':'u'},"
                    + "{'inlineData':{'mimeType':'image/png','data':'AA'}},{'fileData':{'mimeType':'image/png','fileUri':'http://x'}}]},"
                    + "{'role':'model','parts':[{'text':'t','thought':true,'thoughtSignature':'s'},{'text':'a'},"
                    + "{'functionCall':{'id':'1','name':'f','args':{'k':1}},'thoughtSignature':'cG9sYXIx'},{'functionCall':{'name':'f'}}]},"
                    + "{'role':'function','parts':[{'functionResponse':{'id':'1','name':'f','response':{'output':'x'},"
                    + "'parts':[{'inlineData':{'mimeType':'text/plain','data':'QUFB'}}]}},{'functionResponse':{'name':'f','response':{'error':{}}}}]}],"
                    + "'tools':[{'functionDeclarations':[{'name':'f','description':'d','parameters':{'type':'OBJECT','nullable':true,"
                    + "'properties':{'a':{'anyOf':[{'type':'STRING'}],'nullable':true,'minLength':'1'}},'items':{'enum':['x']}}}]},{'googleSearch':{}}],"
                    + "'toolConfig':{'functionCallingConfig':{'mode':'ANY','allowedFunctionNames':['f']}},'safetySettings':[],"
                    + "'generationConfig':{'temperature':1,'topK':5,'maxOutputTokens':5,'stopSequences':['x'],'candidateCount':1,"
                    + "'responseMimeType':'application/json','responseSchema':{'type':'OBJECT'},'responseModalities':['TEXT'],"
                    + "'responseLogprobs':true,'logprobs':2,'thinkingConfig':{'includeThoughts':true,'thinkingBudget':1}}}";

    private static final String RESPONSES =
            "{'model':'m','stream':true,'store':false,'include':['reasoning.encrypted_content','message.output_text.logprobs'],'top_logprobs':2,"
                    + "'instructions':'i','max_output_tokens':5,'temperature':1,'parallel_tool_calls':false,'reasoning':{'effort':'low','summary':'auto'},"
                    + "'text':{'verbosity':'low','format':{'type':'json_schema','name':'n','schema':{}}},'metadata':{'a':'b'},"
                    + "'tool_choice':{'type':'allowed_tools','mode':'required','tools':[{'type':'function','name':'f'}]},"
                    + "'tools':[{'type':'function','name':'f','parameters':{'type':'object'}},{'type':'local_shell'},{'type':'web_search'},"
                    + "{'type':'custom','name':'p','format':{'type':'grammar','syntax':'lark','definition':'d'}},"
                    + "{'type':'namespace','name':'n','tools':[{'type':'function','name':'g','strict':true}]}],"
                    + "'input':[{'type':'additional_tools','role':'developer','tools':[{'type':'custom','name':'q'}]},"
                    + "{'type':'message','role':'developer','content':[{'type':'input_text','text':'d'}]},"
                    + "{'role':'user','content':[{'type':'input_text','text':'u'},{'type':'input_image','image_url':'data:image/png;base64,AA'},"
                    + "{'type':'input_file','filename':'f','file_data':'data:text/plain;base64,AAAA'}]},"
                    + "{'type':'reasoning','id':'r','summary':[{'type':'summary_text','text':'s'}],'content':[{'type':'reasoning_text','text':'t'}]},"
                    + "{'type':'message','role':'assistant','status':'completed','content':[{'type':'output_text','text':'a','annotations':[]}]},"
                    + "{'type':'function_call','call_id':'1','name':'g','namespace':'n','arguments':'{}'},"
                    + "{'type':'function_call_output','call_id':'1','output':[{'type':'input_text','text':'x'}]},"
                    + "{'type':'custom_tool_call','call_id':'2','name':'p','input':'i'},{'type':'custom_tool_call_output','call_id':'2','output':'o'},"
                    + "{'type':'local_shell_call','id':'l','call_id':'3','action':{'type':'exec','command':['ls'],'env':{}}},"
                    + "{'type':'local_shell_call_output','id':'l','output':'o'}]}";

    @Test
    void a_malformed_google_request_is_refused_or_understood() {
        var session = new AgentSession("s", "t", true, new MemoryRecorder(), Sampling.NONE, Map.of());
        fuzz(new GoogleDialect(session, "m", GoogleDialect.Form.COUNT), GOOGLE, 13);
    }

    @Test
    void a_malformed_chat_request_is_refused_or_understood() {
        fuzz(new ChatDialect(), CHAT, 11);
    }

    @Test
    void a_malformed_messages_request_is_refused_or_understood() {
        fuzz(new MessagesDialect(), MESSAGES, 12);
    }

    @Test
    void a_malformed_responses_request_is_refused_or_understood() {
        fuzz(new ResponsesDialect(Bodies.session()), RESPONSES, 14);
    }

    private static void fuzz(Dialect dialect, String valid, long seed) {
        var random = new Random(seed);
        int understood = 0;
        for (int i = 0; i < BODIES; i++) {
            var body = Bodies.object(valid);
            for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
                change(body, random);
            }
            try {
                var call = dialect.decode(body);
                assertThat(call.messages()).isNotEmpty();
                assertThat(dialect.encode(call, REPLY)).isNotEmpty();
                assertThat(dialect.stream(call).answer(REPLY)).isNotEmpty();
                understood++;
            } catch (RefusedException refused) {
                assertThat(refused.fault().status()).isBetween(400, 499);
            } catch (RuntimeException unforeseen) {
                throw new AssertionError("body " + i + ": " + body, unforeseen);
            }
        }
        assertThat(understood).isBetween(1, BODIES - 1);
    }

    private static void change(ObjectNode body, Random random) {
        var places = new ArrayList<JsonNode>();
        collect(body, places);
        var place = places.get(random.nextInt(places.size()));
        if (place instanceof ObjectNode object && !object.isEmpty()) {
            var names = new ArrayList<String>();
            object.fieldNames().forEachRemaining(names::add);
            var name = names.get(random.nextInt(names.size()));
            if (random.nextInt(4) == 0) {
                object.remove(name);
            } else {
                object.set(name, other(object.get(name), random));
            }
        } else if (place instanceof ArrayNode array && !array.isEmpty()) {
            int index = random.nextInt(array.size());
            switch (random.nextInt(3)) {
                case 0 -> array.remove(index);
                case 1 -> array.insert(index, array.get(index).deepCopy());
                default -> array.set(index, other(array.get(index), random));
            }
        }
    }

    private static void collect(JsonNode node, List<JsonNode> places) {
        if (node.isContainerNode()) {
            places.add(node);
            node.forEach(child -> collect(child, places));
        }
    }

    private static JsonNode other(JsonNode value, Random random) {
        return switch (random.nextInt(9)) {
            case 0 -> NODES.nullNode();
            case 1 -> NODES.numberNode(random.nextInt(5) - 2);
            case 2 -> NODES.textNode("");
            case 3 -> NODES.textNode("odd");
            case 4 -> NODES.booleanNode(random.nextBoolean());
            case 5 -> NODES.objectNode();
            case 6 -> NODES.arrayNode();
            case 7 -> NODES.arrayNode().add(value.deepCopy());
            default -> NODES.objectNode().set("x", value.deepCopy());
        };
    }
}
