package dev.polar.spi;

import java.util.Locale;

/** How an agent's run ended: the word in {@code trajectory.metadata.agent_result.ending}. {@link AgentOutcome#of} decides it. */
public enum AgentEnding {
    /** It did what it wanted to do. Whether that was right is the evaluator's business. */
    DONE,
    /**
     * It stopped before it was done, of its own accord: its limit of turns, a refusal. So did one that stopped after an answer which the limit of tokens had cut, whether it calls that an error or an
     * end: the model had not said that it is done, and what it began to say or to call was not heard.
     */
    GAVE_UP,
    /** Its last model call got no answer: the inference server failed, broke off, was silent, or refused. */
    ENGINE_FAULT,
    /** Its last model call did not fit into the model's window. */
    OUT_OF_CONTEXT,
    /** A time limit ended it: its own, or the session's. */
    TIMED_OUT,
    /** It could not start, crashed, was killed, called no model, or ended without saying how. */
    FAILED;

    /** As JSON has it: {@code done}, {@code gave_up}, {@code engine_fault}, {@code out_of_context}, {@code timed_out}, {@code failed}. */
    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }
}
