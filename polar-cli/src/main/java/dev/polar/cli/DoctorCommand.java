package dev.polar.cli;

import dev.polar.topology.NodeConfig;
import dev.polar.topology.Topology.PluginsConfig;
import dev.polar.topology.TopologyException;
import java.nio.file.Path;
import java.util.ArrayList;
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

    @Override
    public Integer call() throws InterruptedException {
        java();
        program("node", "Node.js", "most agents from npm run on it: install Node.js 20 or later");
        program("npm", "npm", "installs the agents that a sandbox does not have: install it with Node.js");
        program(
                "bwrap",
                "bubblewrap",
                "without it, runtime local gives sessions no view of their own: install bubblewrap");
        program("docker", "Docker", "needed by runtime docker alone");
        program("python3", "Python", "needed by the examples alone");
        liberty();
        if (topology != null) {
            topology();
        }
        output.answer(Map.of(
                "ok",
                findings.stream().noneMatch(finding -> finding.verdict() == Finding.Verdict.WRONG),
                "findings",
                findings.stream().map(Finding::json).toList()));
        findings.forEach(this::show);
        return findings.stream().anyMatch(finding -> finding.verdict() == Finding.Verdict.WRONG)
                ? UserException.BAD_INPUT
                : 0;
    }

    private void java() {
        var version = Runtime.version();
        var home = System.getProperty("java.home");
        findings.add(
                version.feature() >= NEEDED_JAVA
                        ? new Finding("java", Finding.Verdict.OK, version + " in " + home)
                        : new Finding("java", Finding.Verdict.WRONG, version + " in " + home + ": a JDK 25 is needed"));
    }

    private void program(String name, String title, String remedy) throws InterruptedException {
        var path = Programs.find(name);
        findings.add(
                path.isEmpty()
                        ? new Finding(name, Finding.Verdict.MISSING, title + " is not on the PATH (" + remedy + ")")
                        : new Finding(name, Finding.Verdict.OK, Programs.version(path.get()) + " in " + path.get()));
    }

    private void liberty() {
        try {
            findings.add(new Finding(
                    "liberty", Finding.Verdict.OK, Distribution.liberty().toString()));
            findings.add(new Finding(
                    "distribution",
                    Finding.Verdict.OK,
                    Distribution.find().folder().toString()));
        } catch (UserException missing) {
            findings.add(new Finding("liberty", Finding.Verdict.WRONG, missing.getMessage()));
        }
    }

    private void topology() throws InterruptedException {
        try {
            var configuration = new Configuration();
            configuration.decide("polar.plugins.bundled", Distribution.find().plugins());
            var read = configuration.load(topology, output::warn);
            findings.add(new Finding("topology", Finding.Verdict.OK, topology.toString()));
            port("rollout.port", read.rollout().host(), read.rollout().port());
            for (var node : read.gateway().nodes()) {
                port("node " + node.id(), node.host(), node.port());
                engines(node, read.plugins());
            }
        } catch (TopologyException | UserException wrong) {
            findings.add(new Finding("topology", Finding.Verdict.WRONG, wrong.getMessage()));
        }
    }

    private void port(String name, String host, int port) {
        try {
            Ports.claim(name, host, port);
            findings.add(new Finding("port", Finding.Verdict.OK, name + ": " + host + ":" + port + " is free"));
        } catch (UserException taken) {
            findings.add(new Finding("port", Finding.Verdict.WRONG, taken.getMessage()));
        }
    }

    /** What the servers can do is asked only where all of them answer. */
    private void engines(NodeConfig node, PluginsConfig plugins) throws InterruptedException {
        boolean all = true;
        for (var base : node.inference().baseUrls()) {
            if (!Engines.answers(base)) {
                all = false;
                findings.add(new Finding(
                        "engine",
                        Finding.Verdict.WRONG,
                        "node " + node.id() + ": " + base
                                + " does not answer: start the inference server, or correct inference.base_url"));
            }
        }
        if (all) {
            findings.addAll(EngineFindings.of(node, plugins));
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
