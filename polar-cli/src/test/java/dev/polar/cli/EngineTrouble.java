package dev.polar.cli;

import dev.polar.cli.AgentLab.Kind;
import dev.polar.sim.Fault;

/**
 * What goes wrong with each answer of an engine after the first, again and again, and what the session of an agent is then to end as.
 *
 * <p>Two system properties are for runs by hand, since they take minutes: {@code polar.faults.hurry=false} lets every agent wait between two tries as long as it does by itself;
 * {@code polar.faults.silence} is how many seconds an engine is silent before it answers after all, 75 by default: longer than the first agent waits for a response's head.
 */
enum EngineTrouble {
    STATUS_429(Kind.VLLM_BUFFERED, Fault.status(429)),
    STATUS_500(Kind.SGLANG_BUFFERED, Fault.status(500)),
    STATUS_529(Kind.SGLANG_BUFFERED, Fault.status(529)),
    TOO_LONG(
            Kind.VLLM_BUFFERED,
            Fault.status(400)
                    .saying(
                            "This model's maximum context length is 131072 tokens. However, your request has 140000 input tokens."),
            "out_of_context"),
    CUT_BEFORE(Kind.VLLM_BUFFERED, Fault.of(Fault.Kind.CUT)),
    CUT_WITHIN(Kind.VLLM_NATIVE, Fault.of(Fault.Kind.CUT).after(6)),
    ERROR_WITHIN(Kind.VLLM_NATIVE, Fault.of(Fault.Kind.ERROR_CHUNK).after(6)),
    NO_FINISH(Kind.VLLM_BUFFERED, Fault.of(Fault.Kind.NO_FINISH)),
    NO_FINISH_STREAMED(Kind.VLLM_NATIVE, Fault.of(Fault.Kind.NO_FINISH));

    /** Of {@link #pauseAfter}. */
    static final int SILENCE_SECONDS = Integer.getInteger("polar.faults.silence", 75);

    private static final int UNHURRIED_SECONDS = 1_200;

    final Kind lab;
    private final Fault fault;
    final String ending;

    EngineTrouble(Kind lab, Fault fault) {
        this(lab, fault, "engine_fault");
    }

    EngineTrouble(Kind lab, Fault fault, String ending) {
        this.lab = lab;
        this.fault = fault;
        this.ending = ending;
    }

    private static boolean hurry() {
        return Boolean.parseBoolean(System.getProperty("polar.faults.hurry", "true"));
    }

    /** An engine that is busy asks for a second where nothing else bounds how long an agent waits: OpenCode heeds that, and Qwen Code where the status is 429. */
    Fault fault(AgentUnderTest agent) {
        boolean busy = fault.kind() == Fault.Kind.STATUS && this != TOO_LONG;
        return busy && hurry() && agent.settings().isEmpty() ? fault.retryAfter(1) : fault;
    }

    /** Seconds that a session may need beside the usual. */
    static int patience() {
        return SILENCE_SECONDS + (hurry() ? 0 : UNHURRIED_SECONDS);
    }

    /**
     * The engine says nothing for a long time, and then what it was to say.
     *
     * @param tokens that it says before
     */
    static Fault pauseAfter(int tokens) {
        return Fault.of(Fault.Kind.PAUSE).after(tokens).lasting(SILENCE_SECONDS);
    }
}
