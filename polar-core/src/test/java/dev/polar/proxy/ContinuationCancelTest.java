package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.capture.Detokenizer;
import dev.polar.continuation.ExactContinuation;
import dev.polar.inference.Cancellation;
import dev.polar.inference.EngineException;
import dev.polar.proxy.Told.Api;
import dev.polar.sim.SimOptions;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ContinuationCancelTest {
    private static final int TURNS = 4;

    @Test
    void a_call_that_is_cancelled_tries_no_further_turn() throws IOException {
        var options = SimOptions.builder().nonCanonical(1).seed(5).build();
        var setup = Node.Setup.DEFAULT.exact();
        try (var node = new Node(options, setup)) {
            var history = JsonNodeFactory.instance.arrayNode();
            ObjectNode request = null;
            for (int turn = 0; turn < TURNS; turn++) {
                history.add(Api.CHAT.user("Question " + turn + "?"));
                request = (ObjectNode) Bodies.parsed(Api.CHAT.ask(history.deepCopy(), false));
                history.add(Api.CHAT
                        .read(node.post(Api.CHAT.path, Bodies.text(request)).body())
                        .message());
            }
            history.add(Api.CHAT.user("And now?"));
            var next = node.upstream().deepCopy();
            next.set("messages", history);
            var cancellation = new Cancellation();
            var asked = new AtomicInteger();
            Detokenizer slow = sequences -> {
                asked.incrementAndGet();
                cancellation.cancel();
                return Optional.of(sequences.stream().map(Object::toString).toList());
            };
            var inference =
                    Node.config("vllm", node.sim.url(), options.model(), setup).inference();
            var continuation = new ExactContinuation(inference, node.client, slow);
            assertThatThrownBy(() -> continuation.plan(node.session.turns(), "s1", next, cancellation))
                    .isInstanceOfSatisfying(
                            EngineException.class,
                            failure -> assertThat(failure.kind()).isEqualTo(EngineException.Kind.ABORTED));
            assertThat(asked).hasValue(1);
        }
    }
}
