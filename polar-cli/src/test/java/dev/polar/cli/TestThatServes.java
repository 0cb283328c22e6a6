package dev.polar.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.xml.sax.SAXException;

/**
 * A test that runs servers or nodes, and where it leaves their data.
 *
 * @param name of its class
 * @param folder below which the nodes' data lies
 * @param tasks how the names of its tasks begin
 * @param calls what answers its sessions' model calls
 */
record TestThatServes(String name, Path folder, String tasks, Calls calls) {
    /** What answers a session's model calls. */
    enum Calls {
        /** Nothing: there are none. */
        NONE,
        /** The simulator, whose log-probabilities are a function of the ids. */
        SIMULATED,
        /** The test itself. */
        MADE_UP
    }

    private static final Path ROOT = Path.of(System.getProperty("polar.root"));
    private static final Path LABS = ROOT.resolve("polar-cli/target/labs");
    private static final List<TestThatServes> ALL = List.of(
            lab("ClaudeCodeIT", "claude_code"),
            lab("CodexIT", "codex"),
            lab("GeminiCliIT", "gemini_cli"),
            lab("OpenCodeIT", "opencode"),
            lab("PiIT", "pi"),
            lab("QwenCodeIT", "qwen_code"),
            kept("ServeIT", Calls.SIMULATED),
            kept("ThreeProcessesIT", Calls.SIMULATED),
            kept("ControlTokenScopeIT", Calls.NONE),
            kept("HarnessCheckIT", Calls.SIMULATED),
            kept("DemoIT", Calls.SIMULATED),
            kept("CountStarsIT", Calls.SIMULATED),
            new TestThatServes("dev.polar.it.PolarWarIT", ROOT.resolve("polar-core/target/it"), "", Calls.NONE),
            node("AgentRunTest"),
            node("GatewayNodeTest"),
            new TestThatServes(
                    "dev.polar.trajectory.ReadBackTest", ROOT.resolve("polar-core/target/made-up"), "", Calls.MADE_UP));

    private static TestThatServes lab(String test, String harness) {
        return new TestThatServes("dev.polar.cli." + test, LABS, harness + "-", Calls.SIMULATED);
    }

    private static TestThatServes kept(String test, Calls calls) {
        return new TestThatServes("dev.polar.cli." + test, KeptFolder.all(test), "", calls);
    }

    private static TestThatServes node(String test) {
        return new TestThatServes(
                "dev.polar.gateway." + test, ROOT.resolve("polar-core/target/nodes"), "", Calls.MADE_UP);
    }

    /** Of all, each once, with what answers the model calls there. */
    static Map<Path, Calls> folders() {
        var folders = new LinkedHashMap<Path, Calls>();
        ALL.forEach(test -> folders.put(test.folder, test.calls));
        return folders;
    }

    /** Those that ran since then, no test of them skipped. */
    static List<TestThatServes> ran(Instant since) throws IOException {
        var ran = reports(since, "failsafe-reports", "surefire-reports");
        return ALL.stream().filter(test -> ran.getOrDefault(test.name, false)).toList();
    }

    /** Classes of integration tests that ran since then and are not of these. */
    static List<String> unknown(Instant since) throws IOException {
        var unknown = new ArrayList<>(reports(since, "failsafe-reports").keySet());
        ALL.forEach(test -> unknown.remove(test.name));
        unknown.remove(EverySessionCheck.class.getName());
        return unknown;
    }

    /** Classes that ran since then; true where none of their tests was skipped. */
    private static Map<String, Boolean> reports(Instant since, String... kinds) throws IOException {
        var ran = new LinkedHashMap<String, Boolean>();
        for (var kind : kinds) {
            for (var module : List.of("polar-core", "polar-cli")) {
                read(ROOT.resolve(module).resolve("target").resolve(kind), since, ran);
            }
        }
        return ran;
    }

    private static void read(Path folder, Instant since, Map<String, Boolean> ran) throws IOException {
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (var reports = Files.newDirectoryStream(folder, "TEST-*.xml")) {
            for (var report : reports) {
                if (!Files.getLastModifiedTime(report).toInstant().isBefore(since)) {
                    read(report, ran);
                }
            }
        }
    }

    private static void read(Path report, Map<String, Boolean> ran) throws IOException {
        try {
            var suite = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(report.toFile())
                    .getDocumentElement();
            ran.put(suite.getAttribute("name"), suite.getAttribute("skipped").equals("0"));
        } catch (ParserConfigurationException | SAXException broken) {
            throw new IOException(report + " is no report of tests", broken);
        }
    }
}
