package dev.polar.inference;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/**
 * Sorts the deltas of a stream's tool calls. Engines number calls by {@code index}, and some give two calls the same one or none: an id or a name that is new begins a call, and text without
 * either belongs to the last call of its index. Calls that come interleaved are told one after the other. Not thread-safe.
 */
final class StreamedCalls {
    private static final int NO_INDEX = -1;

    private final List<Call> calls = new ArrayList<>();
    private int telling;

    private static final class Call {
        private final int index;
        private String id;
        private String name = "";
        private final GrowingText arguments = new GrowingText();
        private boolean begun;

        private Call(int index) {
            this.index = index;
        }

        private boolean complete() {
            try {
                JsonTree.read(arguments.toString());
                return true;
            } catch (IOException notYet) {
                return false;
            }
        }
    }

    /**
     * More of a call.
     *
     * @param index null where the engine gave none
     * @param id null or empty where this delta has none
     * @param name null or empty where this delta has none
     * @param arguments null or empty where this delta has none
     * @throws EngineException where it goes on with a call that was complete, and told as complete
     */
    void add(Integer index, String id, String name, String arguments) {
        var call = find(index == null ? NO_INDEX : index, blank(id), blank(name));
        if (arguments == null || arguments.isEmpty()) {
            return;
        }
        call.arguments.append(arguments);
        if (calls.indexOf(call) < telling && !arguments.isBlank()) {
            throw EngineException.of(
                    EngineException.Kind.BROKEN,
                    502,
                    "the inference server went on with a tool call that was complete, and after which another had begun",
                    null);
        }
    }

    private static String blank(String text) {
        return text == null || text.isEmpty() ? null : text;
    }

    private Call find(int index, String id, String name) {
        if (id != null) {
            for (var call : calls) {
                if (id.equals(call.id)) {
                    return named(call, name);
                }
            }
        }
        var last = last(index);
        boolean begins = last == null || id != null && last.id != null || name != null && !last.name.isEmpty();
        var call = begins ? begin(index) : last;
        if (id != null) {
            call.id = id;
        }
        return named(call, name);
    }

    private Call begin(int index) {
        var call = new Call(index);
        calls.add(call);
        return call;
    }

    private static Call named(Call call, String name) {
        if (name != null && !call.begun) {
            call.name = name;
        }
        return call;
    }

    /** The last call of an index; without one, the last of all. */
    private Call last(int index) {
        for (int i = calls.size() - 1; i >= 0; i--) {
            if (index == NO_INDEX || calls.get(i).index == index) {
                return calls.get(i);
            }
        }
        return null;
    }

    /**
     * Tells what has come since the last time, as far as it is its turn.
     *
     * @param end true where nothing more comes
     */
    void tell(Consumer<Delta> sink, boolean end) {
        while (telling < calls.size()) {
            var call = calls.get(telling);
            boolean last = telling == calls.size() - 1;
            if (!call.begun && (!call.name.isEmpty() || !call.arguments.isEmpty() || end || !last)) {
                call.begun = true;
                if (call.id == null) {
                    call.id = madeId();
                }
                sink.accept(new Delta.Call(telling, call.id, call.name));
            }
            var more = call.begun ? call.arguments.next(end || !last) : "";
            if (!more.isEmpty()) {
                sink.accept(new Delta.Arguments(telling, more));
            }
            if (last ? !end : !end && !call.complete()) {
                return;
            }
            telling++;
        }
    }

    private static String madeId() {
        var random = ThreadLocalRandom.current();
        return "call_%016x%08x".formatted(random.nextLong(), random.nextInt());
    }

    boolean isEmpty() {
        return calls.isEmpty();
    }

    /** As a whole answer has them. */
    void write(ArrayNode list) {
        for (var call : calls) {
            list.addObject()
                    .put("id", call.id == null ? madeId() : call.id)
                    .put("type", "function")
                    .putObject("function")
                    .put("name", call.name)
                    .put("arguments", call.arguments.toString());
        }
    }
}
