package dev.polar.bench;

import java.io.IOException;

/** An inference server that answers every chat request with the same bytes, so that it costs next to nothing itself. */
final class FixedUpstream implements AutoCloseable {
    static final int PROMPT_IDS = 500;
    static final int ANSWER_IDS = 100;
    private static final int TEXT_BYTES = 2_000;
    private static final int WINDOW = 131_072;

    private final Upstream server;

    FixedUpstream() throws IOException {
        this(new Hold());
    }

    /** @param hold before an answer's first byte */
    FixedUpstream(Hold hold) throws IOException {
        var answer = Upstream.response(answer());
        server = new Upstream(WINDOW, out -> {
            hold.pass();
            out.write(answer);
        });
    }

    int port() {
        return server.port();
    }

    /** What it answers. */
    static String text() {
        return "lorem ipsum dolor sit amet ".repeat(TEXT_BYTES / 27 + 1).substring(0, TEXT_BYTES);
    }

    private static String answer() {
        var body = new StringBuilder(
                "{\"id\":\"chatcmpl-bench\",\"object\":\"chat.completion\",\"created\":1795975178,\"model\":\"bench\","
                        + "\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"");
        body.append(text());
        body.append("\",\"refusal\":null,\"reasoning\":null},\"logprobs\":{\"content\":[");
        for (int i = 0; i < ANSWER_IDS; i++) {
            body.append(i == 0 ? "" : ",")
                    .append("{\"token\":\" lorem\",\"logprob\":-")
                    .append(0.0123456789012345 * (i + 1))
                    .append(",\"bytes\":[32,108,111,114,101,109],\"top_logprobs\":[]}");
        }
        body.append("]},\"finish_reason\":\"stop\",\"stop_reason\":null,\"token_ids\":[");
        ids(body, ANSWER_IDS);
        body.append(
                "]}],\"usage\":{\"prompt_tokens\":500,\"total_tokens\":600,\"completion_tokens\":100,\"prompt_tokens_details\":null},"
                        + "\"prompt_logprobs\":null,\"prompt_token_ids\":[");
        ids(body, PROMPT_IDS);
        return body.append("]}").toString();
    }

    private static void ids(StringBuilder body, int count) {
        for (int i = 0; i < count; i++) {
            body.append(i == 0 ? "" : ",").append(1_000 + i * 37 % 30_000);
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
