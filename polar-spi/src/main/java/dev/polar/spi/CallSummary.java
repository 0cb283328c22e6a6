package dev.polar.spi;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What the record says of a session's model calls once the agent has ended. Calls of helper models are not in it.
 *
 * @param answered calls that were answered, whoever made them
 * @param failed calls that were not
 * @param last the last call, by the order in which requests had been read, of the agent's main line; null where it made none
 */
public record CallSummary(long answered, long failed, Call last) {
    /** No call at all. */
    public static final CallSummary NONE = new CallSummary(0, 0, null);

    /** How a call ended. */
    public enum End {
        /** The model answered. */
        ANSWERED,
        /** It did not fit into the model's window. */
        OUT_OF_CONTEXT,
        /** The inference server failed, could not be reached, broke off or was silent: nothing, or a part of an answer and then an error, was sent to the agent. */
        ENGINE_FAULT,
        /** The inference server or the gateway refused the request as it was. */
        REFUSED,
        /** The agent hung up, or ended, before the answer had come. */
        HUNG_UP;

        /** In snake case. */
        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Whether the agent was told that there is no answer. */
        public boolean fault() {
            return this == OUT_OF_CONTEXT || this == ENGINE_FAULT || this == REFUSED;
        }
    }

    /**
     * One call.
     *
     * @param end how it ended
     * @param status the HTTP status of what went wrong; null where it was answered or the agent hung up
     * @param message what went wrong, in the words that the agent was told; null where there is nothing to say
     * @param finishReason of the model's answer, in the engine's words; null where there is none
     */
    public record Call(End end, Integer status, String message, String finishReason) {
        public Call {
            Check.present("end", end);
        }

        /** Whether the limit of tokens ended its answer, and not the model. */
        public boolean cutByLimit() {
            return end == End.ANSWERED && "length".equals(finishReason);
        }

        /** A call that was answered. */
        public static Call answered(String finishReason) {
            return new Call(End.ANSWERED, null, null, finishReason);
        }
    }

    /** For {@code agent_result.calls}. */
    public Map<String, Object> view() {
        var view = new LinkedHashMap<String, Object>();
        view.put("answered", answered);
        view.put("failed", failed);
        if (last != null) {
            view.put("last", last.end().wire());
            put(view, "last_status", last.status());
            put(view, "last_error", last.message());
            put(view, "last_finish_reason", last.finishReason());
        }
        return view;
    }

    private static void put(Map<String, Object> view, String key, Object value) {
        if (value != null) {
            view.put(key, value);
        }
    }
}
