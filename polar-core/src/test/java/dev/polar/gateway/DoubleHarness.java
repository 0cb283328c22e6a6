package dev.polar.gateway;

import dev.polar.spi.AgentOutcome;
import dev.polar.spi.ApiType;
import dev.polar.spi.CallSummary;
import dev.polar.spi.ExecRequest;
import dev.polar.spi.ExecResult;
import dev.polar.spi.Harness;
import dev.polar.spi.HarnessContext;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Stands in for an agent program's plugin: one command, {@code agent}. */
final class DoubleHarness implements Harness<DoubleHarness.Settings> {
    /** Its settings. */
    record Settings(String version) {}

    private final Steps steps;
    volatile HarnessContext<Settings> seen;
    volatile AgentOutcome outcome;
    volatile CallSummary called;

    DoubleHarness(Steps steps) {
        this.steps = steps;
    }

    @Override
    public Set<String> names() {
        return Set.of("double");
    }

    @Override
    public Class<Settings> settingsType() {
        return Settings.class;
    }

    @Override
    public Optional<ApiType> api() {
        return Optional.of(ApiType.OPENAI_CHAT);
    }

    @Override
    public void setup(HarnessContext<Settings> context) throws InterruptedException {
        seen = context;
        steps.reach("setup");
    }

    @Override
    public List<ExecRequest> commands(HarnessContext<Settings> context) throws InterruptedException {
        steps.reach("commands");
        return List.of(ExecRequest.of("agent"));
    }

    @Override
    public AgentOutcome collect(HarnessContext<Settings> context, ExecResult run, CallSummary calls)
            throws InterruptedException {
        steps.reach("collect");
        called = calls;
        var judged = outcome;
        return judged == null
                ? new AgentOutcome(
                        run.exitCode() == 0,
                        run.exitCode() == 0 ? null : "the agent exited with code " + run.exitCode(),
                        Map.of("status", "judged"),
                        Map.of("stated", true))
                : judged;
    }
}
