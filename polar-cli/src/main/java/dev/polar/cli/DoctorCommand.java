package dev.polar.cli;

import dev.polar.topology.NodeConfig;
import dev.polar.topology.TopologyException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code polar doctor}. */
@Command(
        name = "doctor",
        description =
                "Look whether this machine can run Polar, and a topology. Exit status 2: something that is needed is missing.",
        mixinStandardHelpOptions = true)
final class DoctorCommand implements Callable<Integer> {
    private static final int NEEDED_JAVA = 25;

    @Mixin
    private Output output;

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "The topology; without it, only the machine is looked at.")
    private Path topology;

    private final List<Finding> findings = new ArrayList<>();

    /** How a look at one thing ended. */
    private enum Verdict {
        OK,
        /** Only some sessions need it. */
        MISSING,
        WRONG
    }

    private record Finding(String name, Verdict verdict, String text) {}

    @Override
    public Integer call() throws InterruptedException {
        java();
        program("node", "Node.js", "needed by harness claude_code: install Node.js 20 or later");
        program(
                "bwrap",
                "bubblewrap",
                "without it, runtime local gives sessions no view of their own: install bubblewrap");
        program("docker", "Docker", "needed by runtime docker alone");
        program("python3", "Python", "needed by the example alone");
        liberty();
        if (topology != null) {
            topology();
        }
        output.answer(Map.of(
                "ok",
                findings.stream().noneMatch(finding -> finding.verdict() == Verdict.WRONG),
                "findings",
                findings.stream().map(DoctorCommand::json).toList()));
        findings.forEach(this::show);
        return findings.stream().anyMatch(finding -> finding.verdict() == Verdict.WRONG) ? UserException.BAD_INPUT : 0;
    }

    private static Map<String, String> json(Finding finding) {
        var fields = new LinkedHashMap<String, String>();
        fields.put("name", finding.name());
        fields.put("verdict", finding.verdict().name().toLowerCase(java.util.Locale.ROOT));
        fields.put("text", finding.text());
        return fields;
    }

    private void java() {
        var version = Runtime.version();
        var home = System.getProperty("java.home");
        findings.add(
                version.feature() >= NEEDED_JAVA
                        ? new Finding("java", Verdict.OK, version + " in " + home)
                        : new Finding("java", Verdict.WRONG, version + " in " + home + ": a JDK 25 is needed"));
    }

    private void program(String name, String title, String remedy) throws InterruptedException {
        var path = Programs.find(name);
        findings.add(
                path.isEmpty()
                        ? new Finding(name, Verdict.MISSING, title + " is not on the PATH (" + remedy + ")")
                        : new Finding(name, Verdict.OK, Programs.version(path.get()) + " in " + path.get()));
    }

    private void liberty() {
        try {
            findings.add(
                    new Finding("liberty", Verdict.OK, Distribution.liberty().toString()));
            findings.add(new Finding(
                    "distribution", Verdict.OK, Distribution.find().folder().toString()));
        } catch (UserException missing) {
            findings.add(new Finding("liberty", Verdict.WRONG, missing.getMessage()));
        }
    }

    private void topology() throws InterruptedException {
        try {
            var read = new Configuration().load(topology, output::warn);
            findings.add(new Finding("topology", Verdict.OK, topology.toString()));
            port("rollout.port", read.rollout().host(), read.rollout().port());
            for (var node : read.gateway().nodes()) {
                port("node " + node.id(), node.host(), node.port());
                engines(node);
            }
        } catch (TopologyException wrong) {
            findings.add(new Finding("topology", Verdict.WRONG, wrong.getMessage()));
        }
    }

    private void port(String name, String host, int port) {
        try {
            Ports.claim(name, host, port);
            findings.add(new Finding("port", Verdict.OK, name + ": " + host + ":" + port + " is free"));
        } catch (UserException taken) {
            findings.add(new Finding("port", Verdict.WRONG, taken.getMessage()));
        }
    }

    private void engines(NodeConfig node) throws InterruptedException {
        for (var base : node.inference().baseUrls()) {
            var answers = Engines.answers(base);
            findings.add(new Finding(
                    "engine",
                    answers ? Verdict.OK : Verdict.WRONG,
                    "node " + node.id() + ": " + base
                            + (answers
                                    ? " answers"
                                    : " does not answer: start the inference server, or correct inference.base_url")));
        }
    }

    private void show(Finding finding) {
        var mark = switch (finding.verdict()) {
            case OK -> output.good("ok     ");
            case MISSING -> output.dim("missing");
            case WRONG -> output.bad("wrong  ");
        };
        output.line(mark + "  " + String.format("%-12s", finding.name()) + "  " + finding.text());
    }
}
