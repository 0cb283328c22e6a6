package dev.polar.inference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AnswerParserTest {
    private static final AnswerParser VLLM =
            new AnswerParser(new VllmEngine().profile().whole());
    private static final AnswerParser SGLANG =
            new AnswerParser(new SglangEngine().profile().whole());

    private static EngineAnswer parse(AnswerParser parser, String json, boolean show) throws IOException {
        var text = json.replace('\'', '"');
        return parser.parse(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), show);
    }

    @Test
    void ids_and_logprobs_stand_in_arrays_and_the_rest_in_a_tree_without_them() throws IOException {
        var answer = parse(
                VLLM,
                "{'id':'x','choices':[{'index':0,'message':{'role':'assistant','content':'Hi'},'logprobs':{'content':["
                        + "{'token':'H','logprob':-1.8095355033874512,'bytes':[72],'top_logprobs':[]},"
                        + "{'token':'i','logprob':-0.5,'bytes':[105],'top_logprobs':[]}]},"
                        + "'finish_reason':'stop','stop_reason':7,'token_ids':[504,2]}],"
                        + "'usage':{'completion_tokens':2,'prompt_tokens_details':{'cached_tokens':3}},'prompt_token_ids':[1,9690]}",
                false);
        assertThat(answer.promptIds()).containsExactly(1, 9690);
        assertThat(answer.sampledIds()).containsExactly(504, 2);
        assertThat(answer.logprobs()).containsExactly(-1.8095355033874512, -0.5);
        assertThat(answer.tokenTexts()).containsExactly("H", "i");
        assertThat(answer.matchedStop().intValue()).isEqualTo(7);
        assertThat(answer.cachedTokens()).isEqualTo(3);
        assertThat(answer.shown()).isNull();
        assertThat(answer.body().toString())
                .isEqualTo(
                        "{\"id\":\"x\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"Hi\"},\"logprobs\":{},"
                                + "\"finish_reason\":\"stop\",\"stop_reason\":7}],\"usage\":{\"completion_tokens\":2,\"prompt_tokens_details\":{\"cached_tokens\":3}}}");
    }

    @Test
    void sglang_says_ids_in_the_choice_and_its_weights() throws IOException {
        var answer = parse(
                SGLANG,
                "{'choices':[{'message':{},'logprobs':{'content':[{'token':'a','logprob':-1}]},'finish_reason':'stop','matched_stop':2,"
                        + "'prompt_token_ids':[5],'response_token_ids':[6]}],'metadata':{'weight_version':'b','weight_versions':"
                        + "[{'version':'a','start':0,'end':1},{'version':'b','start':1,'end':2}]}}",
                false);
        assertThat(answer.promptIds()).containsExactly(5);
        assertThat(answer.sampledIds()).containsExactly(6);
        assertThat(answer.weightVersions()).containsExactly("a", "b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"NaN", "null", "'-0.1'", "Infinity", "-Infinity", "{}"})
    void e10_what_is_no_number_keeps_its_place(String logprob) throws IOException {
        for (boolean show : new boolean[] {false, true}) {
            var answer = parse(
                    VLLM,
                    "{'choices':[{'message':{},'logprobs':{'content':[{'token':'a','logprob':" + logprob
                            + "},{'token':'b','logprob':-2.5}]},'token_ids':[1,2]}]}",
                    show);
            assertThat(answer.logprobs()).hasSize(2);
            assertThat(Double.isFinite(answer.logprobs()[0])).isFalse();
            assertThat(answer.logprobs()[1]).isEqualTo(-2.5);
            assertThat(answer.tokenTexts()).containsExactly("a", "b");
        }
    }

    @Test
    void an_entry_without_a_logprob_keeps_its_place() throws IOException {
        var answer = parse(
                VLLM, "{'choices':[{'message':{},'logprobs':{'content':[{'token':'a'},{'logprob':-2}]}}]}", false);
        assertThat(answer.logprobs()).containsExactly(Double.NaN, -2);
        assertThat(answer.tokenTexts()).containsExactly("a", null);
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "[1,null]", "[1,'2']", "[1.5]", "[99999999999]"})
    void b03_a_list_of_ids_that_is_none_is_never_filled(String ids) throws IOException {
        var answer = parse(VLLM, "{'choices':[{'message':{},'token_ids':" + ids + "}]}", false);
        assertThat(answer.sampledIds()).isNull();
        assertThat(answer.promptIds()).isNull();
        assertThat(answer.logprobs()).isNull();
    }

    @Test
    void an_empty_list_of_ids_is_a_list() throws IOException {
        var answer = parse(VLLM, "{'choices':[{'message':{},'token_ids':[],'logprobs':{'content':[]}}]}", false);
        assertThat(answer.sampledIds()).isEmpty();
        assertThat(answer.logprobs()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "{}", "{'choices':[]}", "{'choices':null}", "7"})
    void an_answer_without_choices_is_an_error(String body) {
        assertThatExceptionOfType(EngineException.class).isThrownBy(() -> parse(VLLM, body, false));
    }

    @Test
    void b21_an_error_with_status_200_is_an_error() {
        assertThatExceptionOfType(EngineException.class)
                .isThrownBy(
                        () -> parse(VLLM, "{'error':{'message':'EngineCore encountered an issue','code':500}}", false))
                .withMessage("EngineCore encountered an issue");
    }

    @Test
    void an_answer_that_breaks_off_is_no_answer() {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> parse(VLLM, "{'choices':[{'message':{},'token_ids':[1,2", false));
    }
}
