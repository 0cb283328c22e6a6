package dev.polar.spi;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.pf4j.ExtensionPoint;

/**
 * Runs one kind of agent program, unmodified.
 *
 * <p>A session calls, on its own thread and in this order: {@link #setup} and {@link #commands} at RUN's start, each command in the runtime, {@link #classify} and
 * {@link #collect} in POSTRUN, before the record is built. Any of them may throw {@link ExtensionException}, or {@link InterruptedException} where the session was cancelled or its budget ran out.
 *
 * @param <S> the record that {@code agent.settings} is bound to; its components are null where the task says nothing
 */
public interface Harness<S extends Record> extends ExtensionPoint {
    /** The values of {@code agent.harness} or {@code agent.import_path} that this harness claims. A name that two claim is an error that names both. */
    Set<String> names();

    /** The record of {@code agent.settings}. */
    Class<S> settingsType();

    /** The dialect that the agent speaks, or empty where it depends on the agent. */
    Optional<ApiType> api();

    /** Puts the agent and its configuration into the runtime. */
    default void setup(HarnessContext<S> context) throws InterruptedException {}

    /** The commands that run the agent, one after the other; the first that fails ends the run. At least one. */
    List<ExecRequest> commands(HarnessContext<S> context) throws InterruptedException;

    /**
     * Says how the run ended, and fetches what is worth keeping into the artifacts folder. Not called where the run was cut off. A harness that can read its agent's own last word turns it into an
     * {@link AgentReport} and lets {@link AgentOutcome#of} decide; the default goes by the exit status for it.
     *
     * @param run the last command's result
     * @param calls what the record says; its calls are labelled by {@link #classify}
     */
    default AgentOutcome collect(HarnessContext<S> context, ExecResult run, CallSummary calls)
            throws InterruptedException {
        return AgentOutcome.of(run, AgentReport.ofExit(run), calls);
    }

    /**
     * Labels a session's model calls. A pure function of all of them, called once the agent has ended.
     *
     * @param calls in order of their sequence; those that got no answer are among them, without a completion id
     * @return one label for each call, in the same order
     */
    default List<CallLabel> classify(List<CallFacts> calls) {
        return DefaultClassifier.classify(calls);
    }
}
