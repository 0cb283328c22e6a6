package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.polar.sim.SimOptions;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What of a call's headers goes on record: who called, and no key. */
class CallHeadersTest {
    private static final String KEY = "sk-0123456789abcdefghij";

    private static Map<String, String> kept(Map<String, String> sent) throws IOException {
        try (var node = new Node(SimOptions.defaults())) {
            node.directory.add(KEY, node.session);
            var body = "{\"model\":\"sim\",\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}";
            var request = node.request("/v1/chat/completions")
                    .setHeader("Authorization", "Bearer " + KEY)
                    .POST(HttpRequest.BodyPublishers.ofString(body));
            sent.forEach(request::setHeader);
            assertThat(node.send(request.build()).statusCode()).isEqualTo(200);
            return node.recorder.entries.getLast().facts().headers();
        }
    }

    @Test
    void what_says_who_calls_is_kept() throws IOException {
        var telling = Map.of(
                "user-agent",
                "agent/1",
                "thread-id",
                "t1",
                "x-session-affinity",
                "ses_1",
                "x-openai-subagent",
                "review");
        assertThat(kept(telling)).containsAllEntriesOf(telling);
    }

    @Test
    void a_header_whose_name_says_that_it_holds_a_secret_is_not_kept() throws IOException {
        var kept = kept(Map.of(
                "x-auth-token", "one",
                "x-litellm-api-key", "two",
                "x-amz-security-token", "three",
                "x-client-secret", "four",
                "x-forwarded-authorization", "Basic five"));
        assertThat(kept).containsOnlyKeys("user-agent");
    }

    @Test
    void the_sessions_key_is_not_kept_under_any_name() throws IOException {
        var kept = kept(Map.of("x-gateway", "Bearer " + KEY, "session-id", KEY, "x-session-affinity", "ses_1"));
        assertThat(kept).containsOnlyKeys("user-agent", "x-session-affinity");
    }
}
