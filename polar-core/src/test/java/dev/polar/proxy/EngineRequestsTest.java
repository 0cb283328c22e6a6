package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.sim.Answer;
import dev.polar.sim.Policy;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimOptions;
import dev.polar.spi.Sampling;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What the engine is asked, as it sees it. */
class EngineRequestsTest {
    private static final String CHAT = "/v1/chat/completions";
    private static final String TOOLS =
            ",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"parameters\":{\"type\":\"object\"}}}]";

    private static String ask(String more) {
        return "{\"model\":\"any\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]" + more + "}";
    }

    private static JsonNode metadata(Node node) {
        return node.recorder.entries.getLast().metadata();
    }

    @ParameterizedTest
    @EnumSource(SimEngine.class)
    void b02_logprobs_are_asked_for_whatever_the_agent_says_and_it_does_not_see_them(SimEngine engine)
            throws IOException {
        try (var node = new Node(SimOptions.builder().engine(engine).build())) {
            var answer = node.answer(CHAT, ask(",\"logprobs\":false,\"top_logprobs\":null"));
            assertThat(node.upstream().path("logprobs").booleanValue()).isTrue();
            assertThat(node.upstream().path("top_logprobs").intValue()).isZero();
            assertThat(answer.at("/choices/0/logprobs").isNull()).isTrue();
            assertThat(answer.findValue("token_ids")).isNull();
            assertThat(answer.findValue("prompt_token_ids")).isNull();
            assertThat(answer.findValue("meta_info")).isNull();
        }
    }

    @ParameterizedTest
    @EnumSource(SimEngine.class)
    void b19_the_agent_sees_what_it_asked_for_and_nothing_more(SimEngine engine) throws IOException {
        try (var node = new Node(SimOptions.builder().engine(engine).build())) {
            var answer = node.answer(
                    CHAT,
                    ask(",\"logprobs\":true,\"top_logprobs\":2,\"return_token_ids\":true,\"include_reasoning\":false"));
            var entry = node.recorder.entries.getFirst();
            var shown = answer.at("/choices/0/logprobs/content");
            assertThat(shown).hasSize(entry.sampledIds().length);
            for (int i = 0; i < shown.size(); i++) {
                assertThat(shown.get(i).path("logprob").doubleValue()).isEqualTo(entry.logprobs()[i]);
                assertThat(shown.get(i).path("top_logprobs")).hasSize(2);
            }
            assertThat(answer.at("/choices/0/token_ids")).hasSize(entry.sampledIds().length);
            assertThat(answer.path("prompt_token_ids")).hasSize(entry.promptIds().length);
            assertThat(node.upstream().has("include_reasoning")).isFalse();
        }
    }

    @Test
    void b04_what_makes_sense_only_with_tools_or_a_stream_is_dropped_without_them() throws IOException {
        try (var node = new Node(SimOptions.defaults())) {
            node.answer(
                    CHAT,
                    ask(",\"tools\":[],\"tool_choice\":\"auto\",\"parallel_tool_calls\":true,"
                            + "\"stream_options\":{\"include_usage\":true}"));
            for (var key : List.of("tools", "tool_choice", "parallel_tool_calls", "stream_options", "stream")) {
                assertThat(node.upstream().has(key)).as(key).isFalse();
            }
            assertThat(node.session.dropped())
                    .containsEntry("empty_tools", 1L)
                    .containsEntry("tool_choice_without_tools", 1L);
        }
    }

    @Test
    void b09_usage_details_are_objects_with_zeros() throws IOException {
        try (var node = new Node(SimOptions.defaults())) {
            var usage = node.answer(CHAT, ask("")).path("usage");
            assertThat(usage.at("/prompt_tokens_details/cached_tokens").intValue())
                    .isZero();
            assertThat(usage.at("/completion_tokens_details/reasoning_tokens").isInt())
                    .isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(SimEngine.class)
    void b12_reasoning_goes_back_to_the_model_under_the_engines_own_key(SimEngine engine) throws IOException {
        try (var node = new Node(SimOptions.builder().engine(engine).build())) {
            node.answer(
                    CHAT,
                    "{\"model\":\"any\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},"
                            + "{\"role\":\"assistant\",\"content\":\"x\",\"reasoning_content\":\"hm\"},{\"role\":\"user\",\"content\":\"on\"}]}");
            var key = engine == SimEngine.VLLM ? "reasoning" : "reasoning_content";
            assertThat(node.upstream().at("/messages/1/" + key).textValue()).isEqualTo("hm");
            assertThat(node.upstream().at("/messages/1")).hasSize(3);
        }
    }

    @Test
    void b16_the_engines_own_headers_are_not_copied() throws IOException {
        try (var node = new Node(SimOptions.defaults())) {
            var headers = node.post(CHAT, ask("")).headers();
            assertThat(headers.firstValue("server")).isNotEqualTo(java.util.Optional.of("uvicorn"));
            assertThat(headers.allValues("content-length")).hasSize(1);
            assertThat(headers.allValues("date")).hasSizeLessThanOrEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(SimEngine.class)
    void b22_an_agent_that_wants_one_call_gets_one_and_the_ids_of_both_are_on_record(SimEngine engine)
            throws IOException {
        var two = "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n</tool_call>\n"
                + "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 2}}\n</tool_call>";
        Policy policy = (request, random) -> new Policy.Decision(new Answer.Raw(two));
        try (var node =
                new Node(SimOptions.builder().engine(engine).policy(policy).build())) {
            var one = node.answer(CHAT, ask(TOOLS + ",\"parallel_tool_calls\":false"));
            var both = node.answer(CHAT, ask(TOOLS));
            assertThat(one.at("/choices/0/message/tool_calls")).hasSize(1);
            assertThat(both.at("/choices/0/message/tool_calls")).hasSize(2);
            assertThat(node.recorder.entries.get(0).sampledIds())
                    .isEqualTo(node.recorder.entries.get(1).sampledIds());
        }
    }

    @Test
    void b23_a_call_that_the_engine_could_not_parse_is_marked() throws IOException {
        var broken = "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"city\": Paris}}\n</tool_call>";
        Policy policy = (request, random) -> new Policy.Decision(new Answer.Raw(broken));
        try (var node = new Node(SimOptions.builder().policy(policy).build())) {
            var answer = node.answer(CHAT, ask(TOOLS));
            assertThat(answer.at("/choices/0/message/content").textValue()).contains("<tool_call>");
            assertThat(metadata(node).path("invalid_tool_call").booleanValue()).isTrue();
            node.answer(CHAT, ask(""));
            assertThat(metadata(node).has("invalid_tool_call")).isFalse();
        }
    }

    @Test
    void the_tasks_sampling_wins_over_its_arguments_over_the_nodes_over_the_agents() throws IOException {
        var setup = Node.Setup.DEFAULT.sampling(
                new Sampling(0.2, 0.2, null, 0.1, null, null),
                new Sampling(0.4, null, null, null, null, 9L),
                Map.of("top_p", 0.3, "temperature", 0.3, "repetition_penalty", 1.1));
        try (var node = new Node(SimOptions.defaults(), setup)) {
            node.answer(CHAT, ask(",\"temperature\":0.1,\"top_p\":0.1,\"min_p\":0.05,\"top_k\":5"));
            var sent = node.upstream();
            assertThat(sent.path("temperature").doubleValue()).isEqualTo(0.4);
            assertThat(sent.path("top_p").doubleValue()).isEqualTo(0.3);
            assertThat(sent.path("min_p").doubleValue()).isEqualTo(0.1);
            assertThat(sent.path("top_k").intValue()).isEqualTo(5);
            assertThat(sent.path("seed").longValue()).isEqualTo(9);
            assertThat(sent.path("repetition_penalty").doubleValue()).isEqualTo(1.1);
            assertThat(Bodies.text(metadata(node).path("sampling")))
                    .isEqualTo(
                            "{\"temperature\":0.4,\"top_p\":0.3,\"top_k\":5,\"min_p\":0.1,\"seed\":9,\"logprobs\":\"raw\"}");
        }
    }

    @Test
    void what_a_logprob_is_stands_in_the_record() throws IOException {
        try (var node = new Node(SimOptions.builder().engine(SimEngine.SGLANG).build())) {
            node.answer(CHAT, ask(""));
            assertThat(metadata(node).at("/sampling/logprobs").textValue()).isEqualTo("temperature");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''|false",
                ",\"tool_choice\":\"auto\"|false",
                ",\"tool_choice\":\"required\"|true",
                ",\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":\"f\"}}|true",
                ",\"response_format\":{\"type\":\"json_object\"}|true",
                ",\"response_format\":{\"type\":\"text\"}|false"
            })
    void an_answer_under_a_grammar_is_marked_as_guided(String more, boolean guided) throws IOException {
        try (var node = new Node(SimOptions.defaults())) {
            node.post(CHAT, ask(TOOLS + more));
            assertThat(metadata(node).path("guided").booleanValue()).isEqualTo(guided);
        }
    }

    @Test
    void the_record_says_who_called_and_holds_no_key() throws IOException {
        try (var node = new Node(SimOptions.defaults())) {
            node.send(node.request("/v1/messages")
                    .header("x-claude-code-agent-id", "a7")
                    .header("x-api-key", "k")
                    .POST(
                            java.net.http.HttpRequest.BodyPublishers.ofString(
                                    "{\"model\":\"c\",\"max_tokens\":5,\"system\":\"S\",\"messages\":[{\"role\":\"user\",\"content\":\"do it\"},{\"role\":\"assistant\",\"content\":\"what?\"},{\"role\":\"user\",\"content\":\"hi\"}]}"))
                    .build());
            var facts = node.recorder.entries.getFirst().facts();
            assertThat(facts.headers()).containsEntry("x-claude-code-agent-id", "a7");
            assertThat(facts.headers()).doesNotContainKeys("x-api-key", "authorization");
            assertThat(facts.system()).isEqualTo("S");
            assertThat(facts.firstUser()).isEqualTo("do it");
            assertThat(facts.lastUser()).isEqualTo("hi");
            assertThat(facts.maxTokens()).hasValue(5);
            assertThat(facts.completionId())
                    .isEqualTo(node.recorder.entries.getFirst().id());
        }
    }
}
