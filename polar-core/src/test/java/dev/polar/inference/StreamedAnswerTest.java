package dev.polar.inference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams as engines send them, with single quotes for double ones. */
class StreamedAnswerTest {
    private static final AnswerPaths VLLM =
            new AnswerPaths(new VllmEngine().profile().chunk().orElseThrow());
    private static final String ROLE =
            "{'id':'c1','object':'chat.completion.chunk','created':7,'model':'m','choices':[{'index':0,'delta':{'role':'assistant','content':''},"
                    + "'logprobs':null,'finish_reason':null}],'prompt_token_ids':[1,9690],'prompt_text':null}";
    private static final String END =
            "{'id':'c1','choices':[{'index':0,'delta':{},'logprobs':{'content':[{'token':'','logprob':-0.25,'bytes':[],'top_logprobs':[]}]},"
                    + "'finish_reason':'stop','stop_reason':null,'token_ids':[2]}]}";
    private static final String USAGE =
            "{'id':'c1','choices':[],'usage':{'prompt_tokens':2,'completion_tokens':5},'system_fingerprint':'f'}";

    private final List<Delta> told = new ArrayList<>();

    private static String chunk(String delta, int... ids) {
        var logprobs = new StringBuilder();
        var list = new StringBuilder();
        for (int id : ids) {
            logprobs.append(logprobs.isEmpty() ? "" : ",")
                    .append("{'token':'t")
                    .append(id)
                    .append("','logprob':-")
                    .append(id)
                    .append(".5,'bytes':[1],'top_logprobs':[{'token':'u','logprob':-9999.0}]}");
            list.append(list.isEmpty() ? "" : ",").append(id);
        }
        return "{'id':'c1','choices':[{'index':0,'delta':" + delta + ",'logprobs':{'content':[" + logprobs
                + "]},'finish_reason':null,'token_ids':[" + list + "]}]}";
    }

    private static String stream(String... chunks) {
        var stream = new StringBuilder();
        for (var chunk : chunks) {
            stream.append("data: ").append(chunk.replace('\'', '"')).append("\n\n");
        }
        return stream.toString();
    }

    private EngineAnswer read(InputStream in, AnswerPaths paths, boolean show) throws IOException {
        told.clear();
        var answer = new StreamedAnswer(paths, "reasoning", show, told::add);
        return answer.end(new EventStream(in, 1 << 20).forEach(answer::event));
    }

    private EngineAnswer read(String... chunks) throws IOException {
        return read(new ByteArrayInputStream(stream(chunks).getBytes(StandardCharsets.UTF_8)), VLLM, false);
    }

    @Test
    void b08_b20_ids_come_from_the_totals_and_text_from_the_deltas_wherever_the_bytes_are_cut() throws IOException {
        var bytes = (": keep-alive\r\n\r\n"
                        + stream(
                                ROLE,
                                chunk("{}", 10),
                                chunk("{'content':'日🙂'}", 11, 12),
                                chunk("{'content':' end'}", 13),
                                END,
                                USAGE,
                                "[DONE]"))
                .getBytes(StandardCharsets.UTF_8);
        for (int cut = 0; cut <= bytes.length; cut++) {
            var answer = read(
                    new SequenceInputStream(
                            new ByteArrayInputStream(bytes, 0, cut),
                            new ByteArrayInputStream(bytes, cut, bytes.length - cut)),
                    VLLM,
                    false);
            assertThat(answer.promptIds()).containsExactly(1, 9690);
            assertThat(answer.sampledIds()).containsExactly(10, 11, 12, 13, 2);
            assertThat(answer.logprobs()).containsExactly(-10.5, -11.5, -12.5, -13.5, -0.25);
            assertThat(answer.tokenTexts()).containsExactly("t10", "t11", "t12", "t13", "");
            assertThat(answer.choice().at("/message/content").textValue()).isEqualTo("日🙂 end");
            assertThat(answer.finishReason()).isEqualTo("stop");
            assertThat(answer.body().at("/usage/completion_tokens").intValue()).isEqualTo(5);
            assertThat(answer.body().path("created").intValue()).isEqualTo(7);
            assertThat(told.getFirst()).isInstanceOf(Delta.Begin.class);
            assertThat(told.subList(1, told.size())).containsExactly(new Delta.Text("日🙂"), new Delta.Text(" end"));
        }
    }

    @Test
    void b08_half_of_a_character_waits_for_the_other() throws IOException {
        read(ROLE, chunk("{'content':'a\\ud83d'}", 1), chunk("{'content':'\\ude42'}", 2), END, "[DONE]");
        assertThat(told.subList(1, told.size())).containsExactly(new Delta.Text("a"), new Delta.Text("🙂"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r\n", "\r"})
    void lines_end_as_the_standard_lets_them(String end) throws IOException {
        var stream = stream(ROLE, chunk("{'content':'x'}", 1), END, "[DONE]").replace("\n", end);
        // an event in two lines of data
        stream = stream.replace("\"model\":\"m\",", "\"model\":\"m\"," + end + "data:");
        var answer = read(new ByteArrayInputStream((stream + end).getBytes(StandardCharsets.UTF_8)), VLLM, false);
        assertThat(answer.choice().at("/message/content").textValue()).isEqualTo("x");
        assertThat(answer.body().path("model").textValue()).isEqualTo("m");
    }

    @Test
    void a_line_that_never_ends_is_an_error() {
        var endless = new InputStream() {
            @Override
            public int read() {
                return 'x';
            }
        };
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> read(endless, VLLM, false))
                .withMessageContaining("longer than");
    }

    private static String call(String keys) {
        return chunk("{'tool_calls':[" + keys + "]}", 5);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            one after the other       | {'index':0,'id':'a','function':{'name':'f'}} | {'index':0,'function':{'arguments':'{"x"'}} | {'index':0,'function':{'arguments':':1}'}} | {'index':1,'id':'b','function':{'name':'f'}} | {'index':1,'function':{'arguments':'{"x":2}'}}
            with the same index       | {'index':0,'id':'a','function':{'name':'f','arguments':''}} | {'index':0,'function':{'arguments':'{"x"'}} | {'index':0,'function':{'arguments':':1}'}} | {'index':0,'id':'b','function':{'name':'f'}} | {'index':0,'function':{'arguments':'{"x":2}'}}
            with no index             | {'id':'a','function':{'name':'f'}} | {'function':{'arguments':'{"x"'}} | {'function':{'arguments':':1}'}} | {'id':'b','function':{'name':'f'}} | {'function':{'arguments':'{"x":2}'}}
            ids in each delta         | {'index':0,'id':'a','function':{'name':'f'}} | {'index':0,'id':'a','function':{'arguments':'{"x"'}} | {'index':0,'id':'b','function':{'name':'f'}} | {'index':0,'id':'a','function':{'arguments':':1}'}} | {'index':0,'id':'b','function':{'arguments':'{"x":2}'}}
            interleaved               | {'index':0,'id':'a','function':{'name':'f'}} | {'index':1,'id':'b','function':{'name':'f'}} | {'index':1,'function':{'arguments':'{"x":2}'}} | {'index':0,'function':{'arguments':'{"x"'}} | {'index':0,'function':{'arguments':':1}'}}
            by their names alone      | {'index':0,'function':{'name':'f'}} | {'index':0,'function':{'arguments':'{"x"'}} | {'index':0,'function':{'arguments':':1}'}} | {'index':0,'function':{'name':'f'}} | {'index':0,'function':{'arguments':'{"x":2}'}}
            """)
    void b07_two_calls_stay_two_and_are_told_one_after_the_other(
            String how, String one, String two, String three, String four, String five) throws IOException {
        var answer = read(
                ROLE,
                call(escaped(one)),
                call(escaped(two)),
                call(escaped(three)),
                call(escaped(four)),
                call(escaped(five)),
                END,
                "[DONE]");
        var calls = answer.choice().at("/message/tool_calls");
        assertThat(calls).as(how).hasSize(2);
        assertThat(calls.at("/0/function/arguments").textValue()).isEqualTo("{\"x\":1}");
        assertThat(calls.at("/1/function/arguments").textValue()).isEqualTo("{\"x\":2}");
        var arguments = new StringBuilder();
        for (var delta : told) {
            switch (delta) {
                case Delta.Call call -> {
                    assertThat(call.id())
                            .isEqualTo(calls.get(call.number()).path("id").textValue());
                    arguments.append('#').append(call.number()).append(call.name());
                }
                case Delta.Arguments more -> arguments.append(more.text());
                default -> {}
            }
        }
        assertThat(arguments).hasToString("#0f{\"x\":1}#1f{\"x\":2}");
    }

    /** Double quotes within a text between single ones. */
    private static String escaped(String json) {
        return json.strip().replace("\"", "\\'");
    }

    @Test
    void an_engine_that_goes_on_with_a_call_it_had_ended_is_not_believed() {
        assertThatExceptionOfType(EngineException.class)
                .isThrownBy(() -> read(
                        ROLE,
                        call("{'index':0,'id':'a','function':{'name':'f','arguments':'{}'}}"),
                        call("{'index':1,'id':'b','function':{'name':'f'}}"),
                        call("{'index':0,'function':{'arguments':'{}'}}")))
                .withMessageContaining("went on with a tool call");
    }

    @Test
    void b21_a_stream_without_a_finish_reason_or_without_its_last_event_is_no_answer() {
        for (var chunks : List.of(List.of(ROLE, chunk("{'content':'x'}", 1), "[DONE]"), List.of(ROLE, END, USAGE))) {
            assertThatExceptionOfType(EngineException.class)
                    .isThrownBy(() -> read(chunks.toArray(String[]::new)))
                    .satisfies(failure -> assertThat(failure.kind()).isEqualTo(EngineException.Kind.BROKEN))
                    .withMessageContaining("stream ended");
        }
    }

    @Test
    void b21_an_error_chunk_is_the_engines_error() {
        assertThatExceptionOfType(EngineException.class)
                .isThrownBy(() -> read(
                        ROLE,
                        "{'error':{'message':'EngineCore encountered an issue.','type':'InternalServerError','param':null,'code':500}}",
                        "[DONE]"))
                .withMessage("EngineCore encountered an issue.")
                .satisfies(failure -> assertThat(failure.status()).isEqualTo(500));
    }

    @Test
    void log_probabilities_are_shown_as_they_came_where_they_were_asked_for() throws IOException {
        var stream = stream(ROLE, chunk("{'content':'x'}", 1), chunk("{}", 3), END, "[DONE]");
        var answer = read(new ByteArrayInputStream(stream.getBytes(StandardCharsets.UTF_8)), VLLM, true);
        assertThat(answer.shown()).hasSize(3);
        assertThat(answer.logprobs()).containsExactly(-1.5, -3.5, -0.25);
        assertThat(told.get(1)).isInstanceOf(Delta.Logprobs.class);
        assertThat(told.get(2)).isEqualTo(new Delta.Text("x"));
    }

    @Test
    void ids_that_come_once_at_the_end_are_found_where_a_profile_says_so() throws IOException {
        var paths = new AnswerPaths(new dev.polar.spi.EngineProfile.AnswerPointers(
                List.of("/sglext/input_ids"),
                List.of("/sglext/output_ids/0"),
                List.of("/choices/0/logprobs/content/*/logprob"),
                List.of("/choices/0/logprobs/content/*/token"),
                List.of(),
                List.of("/choices/0/matched_stop"),
                List.of()));
        var stream = stream(
                "{'id':'r','choices':[{'index':0,'delta':{'reasoning_content':null,'role':'assistant','content':''},'logprobs':null,'finish_reason':null,'matched_stop':null}]}",
                "{'id':'r','choices':[{'index':0,'delta':{'reasoning_content':'hm','content':null},'logprobs':{'content':[{'token':'hm','logprob':-1.0}]},'finish_reason':null}]}",
                "{'id':'r','choices':[{'index':0,'delta':{},'logprobs':{'content':[{'token':'','logprob':-2.0}]},'finish_reason':'stop','matched_stop':2}]}",
                "{'id':'r','choices':[],'sglext':{'input_ids':[1,2,3],'output_ids':[[7,2]]}}",
                "[DONE]");
        var answer = read(new ByteArrayInputStream(stream.getBytes(StandardCharsets.UTF_8)), paths, false);
        assertThat(answer.promptIds()).containsExactly(1, 2, 3);
        assertThat(answer.sampledIds()).containsExactly(7, 2);
        assertThat(answer.logprobs()).containsExactly(-1.0, -2.0);
        assertThat(answer.matchedStop().intValue()).isEqualTo(2);
        assertThat(told.getLast()).isEqualTo(new Delta.Reasoning("hm"));
    }
}
