package dev.polar.bench;

import java.io.IOException;

/** An inference server for one conversation: each answer's prompt ids are those of the turn before, what that sampled, and some more. */
final class GrowingUpstream implements AutoCloseable {
    private static final int SAMPLED = 100;

    private static final int WINDOW = 10_000_000;

    private final Upstream server;
    private final int step;
    private int turn;

    /** @param step ids that each turn adds, the sampled ones among them */
    GrowingUpstream(int step) throws IOException {
        this.step = step;
        server = new Upstream(WINDOW, out -> out.write(Upstream.response(answer())));
    }

    int port() {
        return server.port();
    }

    private synchronized String answer() {
        turn++;
        int sampledTo = turn * step;
        int prompt = sampledTo - SAMPLED;
        var body = new StringBuilder(8 * sampledTo)
                .append(
                        "{\"id\":\"chatcmpl-bench\",\"object\":\"chat.completion\",\"created\":1795975178,\"model\":\"bench\",")
                .append("\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"answer ")
                .append(turn)
                .append("\",\"refusal\":null,\"reasoning\":null},\"logprobs\":{\"content\":[");
        for (int i = 0; i < SAMPLED; i++) {
            body.append(i == 0 ? "" : ",")
                    .append("{\"token\":\" lorem\",\"logprob\":-")
                    .append(0.0123456789012345 * (i + 1))
                    .append(",\"bytes\":[32,108,111,114,101,109],\"top_logprobs\":[]}");
        }
        body.append("]},\"finish_reason\":\"stop\",\"stop_reason\":null,\"token_ids\":[");
        ids(body, prompt, sampledTo);
        body.append("]}],\"usage\":{\"prompt_tokens\":")
                .append(prompt)
                .append(",\"total_tokens\":")
                .append(sampledTo)
                .append(",\"completion_tokens\":")
                .append(SAMPLED)
                .append(",\"prompt_tokens_details\":null},\"prompt_logprobs\":null,\"prompt_token_ids\":[");
        ids(body, 0, prompt);
        return body.append("]}").toString();
    }

    private static void ids(StringBuilder body, int from, int to) {
        for (int i = from; i < to; i++) {
            body.append(i == from ? "" : ",").append(10_000 + i * 37L % 90_000);
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
