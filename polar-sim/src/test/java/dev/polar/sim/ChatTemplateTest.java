package dev.polar.sim;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

class ChatTemplateTest {
    private static ArrayNode messages(String json) throws Exception {
        return (ArrayNode) Json.MAPPER.readTree(json.replace('\'', '"'));
    }

    private static String render(JsonNode messages, JsonNode tools) {
        return ChatTemplate.render(messages, tools, true, false);
    }

    @Test
    void a_system_message_leads_and_tools_stand_in_it() throws Exception {
        String text = render(
                messages("[{'role':'system','content':'Be brief.'},{'role':'user','content':'Hi'}]"),
                Json.array().add(Client.tool("look")));
        assertThat(text)
                .startsWith("<|im_start|>system\nBe brief.\n\n# Tools\n")
                .contains("<tools>\n{\"type\": \"function\", \"function\": {\"name\": \"look\", ")
                .endsWith("<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
    }

    @Test
    void arguments_are_written_anew_however_they_came() throws Exception {
        String compact =
                "[{'role':'user','content':'x'},{'role':'assistant','content':null,'tool_calls':[{'id':'1','function':{'name':'look','arguments':'{\\'a\\':1,\\'b\\':[1,2.50]}'}}]}]";
        assertThat(render(messages(compact.replace("\\'", "\\\"")), Json.array()))
                .contains(
                        "<|im_start|>assistant\n<tool_call>\n{\"name\": \"look\", \"arguments\": {\"a\": 1, \"b\": [1, 2.50]}}\n</tool_call><|im_end|>\n");
    }

    @Test
    void text_before_a_call_keeps_one_line_break() throws Exception {
        for (String text : new String[] {"Sure.", "Sure.\\n"}) {
            String json = "[{'role':'user','content':'x'},{'role':'assistant','content':'" + text
                    + "','tool_calls':[{'id':'1','function':{'name':'look','arguments':'{}'}}]}]";
            assertThat(render(messages(json), Json.array()))
                    .contains("assistant\nSure.\n<tool_call>\n{\"name\": \"look\", \"arguments\": {}}");
        }
    }

    @Test
    void reasoning_lives_through_a_tool_loop_and_is_dropped_at_the_next_user_turn() throws Exception {
        String loop =
                "{'role':'user','content':'x'},{'role':'assistant','content':'Now.','reasoning':'Hm.'},{'role':'tool','tool_call_id':'1','content':'r'}";
        assertThat(render(messages("[" + loop + "]"), Json.array()))
                .contains("assistant\n<think>\nHm.\n</think>\n\nNow.<|im_end|>")
                .contains("user\n<tool_response>\nr\n</tool_response><|im_end|>");
        assertThat(render(messages("[" + loop + ",{'role':'user','content':'y'}]"), Json.array()))
                .contains("assistant\nNow.<|im_end|>")
                .doesNotContain("think");
    }

    @Test
    void parts_are_joined_and_images_become_placeholders() throws Exception {
        String json =
                "[{'role':'user','content':[{'type':'text','text':'a'},{'type':'text','text':'b'},{'type':'image_url','image_url':{'url':'data:x'}}]}]";
        int[] ids = SimTokenizer.shared().encode(render(messages(json), Json.array()));
        assertThat(render(messages(json), Json.array())).contains("user\na\nb<|image_pad|>");
        assertThat(java.util.Arrays.stream(ids)
                        .filter(id -> id == SimTokenizer.shared().imagePlaceholder())
                        .count())
                .isEqualTo(ChatTemplate.IMAGE_TOKENS);
    }

    @Test
    void the_last_message_can_stay_open() throws Exception {
        ObjectNode prefix = Json.object().put("role", "assistant").put("content", "The ans");
        ArrayNode messages = messages("[{'role':'user','content':'x'}]").add(prefix);
        assertThat(ChatTemplate.render(messages, Json.array(), true, true)).endsWith("<|im_start|>assistant\nThe ans");
    }
}
