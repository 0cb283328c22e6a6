package dev.polar.cli;

import static dev.polar.cli.MadeSession.first;
import static dev.polar.cli.MadeSession.ids;
import static dev.polar.cli.MadeSession.joined;
import static dev.polar.cli.MadeSession.next;
import static dev.polar.cli.MadeSession.saying;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.sim.SimTokenizer;
import java.util.Arrays;
import java.util.Random;

/** Sessions by hand that are as the rules want them, one for each kind of place that a completion can come to. */
final class MadeSessions {
    private static final SimTokenizer TOKENIZER = SimTokenizer.shared();
    private static final int[] WHOLE = TOKENIZER.encode("fishing");
    /** The same text in other tokens, and the end of the turn. */
    private static final int[] CUT = joined(TOKENIZER.respell(WHOLE, 1, new Random(1)), ids(9));

    private MadeSessions() {}

    /** Two turns of one trace, and a call that is left out. */
    static MadeSession chain() {
        var made = new MadeSession("prefix_merging", "exact");
        made.call("a", ids(1, 2, 3), 4, 5, 9);
        made.call("b", ids(1, 2, 3, 4, 5, 9, 6, 7), 8, 9);
        made.call("t", ids(1, 2, 3), 2, 9);
        made.ofRecord("t").put("role", "auxiliary");
        made.left("t", "role:auxiliary");
        made.trace(first("a", "first"), next("b", "a", "exact", 6, 7));
        return made.counted();
    }

    /** The same without a merge. */
    static MadeSession perRequest() {
        var made = new MadeSession("per_request", "exact");
        made.call("a", ids(1, 2, 3), 4, 5, 9);
        made.call("b", ids(1, 2, 3, 4, 5, 9, 6, 7), 8, 9);
        made.trace(first("a", "first"));
        made.trace(first("b", "first"));
        return made.counted();
    }

    /** The second prompt asked again, and the later answer continued: the earlier one is superseded. */
    static MadeSession retried() {
        var made = new MadeSession("prefix_merging", "exact");
        made.call("a", ids(1), 4, 9);
        made.call("b", ids(1, 4, 9, 5), 6, 9);
        made.call("c", ids(1, 4, 9, 5), 7, 9);
        made.call("d", ids(1, 4, 9, 5, 7, 9, 8), 2, 9);
        made.trace(first("a", "first"), next("c", "a", "exact", 5), next("d", "c", "exact", 8));
        made.trace(saying(saying(first("b", "same_prompt"), "parent", "a"), "superseded_by", "c"))
                .put("parent_trace", 0)
                .put("shared_prefix_tokens", 4);
        return made.counted();
    }

    /** The same, where superseded ones are left out. */
    static MadeSession withoutSuperseded() {
        var made = new MadeSession("prefix_merging", "exact");
        made.metadata().withObject("/builder_config").put("include_superseded", false);
        made.call("b", ids(1), 6, 9);
        made.call("c", ids(1), 7, 9);
        made.call("d", ids(1, 7, 9, 8), 2, 9);
        made.left("b", "superseded");
        made.trace(first("c", "first"), next("d", "c", "exact", 8));
        return made.counted();
    }

    /** An answer of which nobody saw that it arrived, and from which the agent went on. */
    static MadeSession continued() {
        var made = new MadeSession("prefix_merging", "exact");
        made.call("a", ids(1), 4, 9);
        made.ofRecord("a").put("delivered", false);
        made.call("b", ids(1, 4, 9, 5), 6, 9);
        made.trace(saying(first("a", "first"), "included_by", "continuation"), next("b", "a", "exact", 5));
        return made.counted();
    }

    /** The first answer came back in other tokens. */
    static MadeSession sameText() {
        var made = new MadeSession("prefix_merging", "same_text");
        made.call("a", ids(1, 2), CUT);
        made.call("b", joined(ids(1, 2), WHOLE, ids(9, 6)), 8, 9);
        made.call("c", joined(ids(1, 2), WHOLE, ids(9, 6, 8, 9, 7)), 3, 9);
        tail(made, "b", "a");
        tail(made, "c", "a");
        made.trace(
                first("a", "first"),
                saying(next("b", "a", "retokenized", 6), "context", "same_text"),
                saying(next("c", "b", "exact", 7), "context", "same_text"));
        return made.counted();
    }

    /** The same, where only exact tails are merged. */
    static MadeSession retokenized() {
        var made = new MadeSession("prefix_merging", "exact");
        made.call("a", ids(1, 2), CUT);
        made.call("b", joined(ids(1, 2), WHOLE, ids(9, 6)), 8, 9);
        tail(made, "b", "a");
        made.trace(first("a", "first"));
        made.trace(first("b", "retokenized"))
                .put("parent_trace", 0)
                .put("shared_prefix_tokens", 2 + Arrays.mismatch(CUT, WHOLE));
        return made.counted();
    }

    static void tail(MadeSession made, String later, String earlier) {
        made.ofRecord(later).withArray("tails").addObject().put("of", earlier).put("class", "retokenized");
    }

    /** A sub-agent that starts from the main agent's whole context. */
    static MadeSession agents() {
        var made = new MadeSession("prefix_merging", "exact");
        made.call("a", ids(1), 4, 9);
        made.call("s", ids(1, 4, 9, 5), 6, 9);
        made.ofRecord("s").put("role", "subagent").put("agent", "helper");
        made.call("b", ids(1, 4, 9, 7), 8, 9);
        made.trace(first("a", "first"), next("b", "a", "exact", 7));
        made.trace(first("s", "role")).put("parent_trace", 0).put("shared_prefix_tokens", 3);
        return made.counted();
    }

    /** Both prompts show a picture, whose place is the id 5. */
    static MadeSession pictured() {
        var made = new MadeSession("prefix_merging", "exact");
        made.call("a", ids(1, 5, 2), 4, 9);
        made.call("b", ids(1, 5, 2, 4, 9, 6), 8, 9);
        made.picture("a", 1, "sha256:1");
        made.picture("b", 1, "sha256:1");
        made.trace(first("a", "first"), next("b", "a", "exact", 6))
                .putArray("images")
                .addObject()
                .put("digest", "sha256:1");
        return made.counted();
    }

    /** A call of each kind that cannot train. */
    static MadeSession untrainable() {
        var made = new MadeSession("prefix_merging", "exact");
        made.call("nan", ids(1), 4, 9);
        ((ObjectNode) made.choice("nan").at("/logprobs/content/0")).putNull("logprob");
        made.call("short", ids(2), 4, 9);
        ((ArrayNode) made.choice("short").at("/logprobs/content")).remove(1);
        made.call("without", ids(3), 4, 9);
        made.choice("without").putNull("logprobs");
        made.call("unknown", ids(5), 4, 9);
        made.choice("unknown").putNull("token_ids");
        made.call("usage", ids(6), 4, 9);
        made.record("usage").withObject("/response/usage").put("completion_tokens", 3);
        made.call("empty", ids(7));
        left(made, "nan", "bad_logprob");
        left(made, "short", "length_mismatch");
        left(made, "without", "no_logprobs");
        left(made, "unknown", "no_ids");
        left(made, "usage", "usage_mismatch");
        made.left("empty", "empty");
        return made.counted();
    }

    private static void left(MadeSession made, String id, String why) {
        made.ofRecord(id).put("untrainable", why);
        made.left(id, "untrainable:" + why);
    }

    /** A session that failed trains nothing. */
    static MadeSession failed() {
        var made = chain();
        made.result.put("status", "ERROR");
        made.filter(0).put("masked", true).put("trainable", false).put("reason", "session_error");
        made.trace(0).put("reward", 0.0);
        for (int i = 0; i < 7; i++) {
            made.of(0, "loss_mask").set(i, IntNode.valueOf(0));
        }
        return made;
    }

    /** One that its agent's own time limit ended trains without a reward. */
    static MadeSession timedOut() {
        var made = chain();
        made.result.put("status", "TIMEOUT");
        made.filter(0).put("reason", "agent_timeout");
        made.trace(0).put("reward", 0.0);
        return made;
    }

    static MadeSession notBuilt() {
        var made = chain();
        made.result.put("status", "ERROR");
        made.metadata().put("not_built", "session cancelled").remove("excluded_completions");
        made.traces().removeAll();
        return made;
    }
}
