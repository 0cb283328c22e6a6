package dev.polar.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.cli.TestThatServes.Calls;
import dev.polar.wire.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every session that the build's tests ran through a gateway, once all of them have: {@link TraceCheck} holds its result as it was delivered, and what each builder makes of its record.
 *
 * <p>Which sessions those are: all that lie in the data of the servers that the tests kept ({@link KeptFolder}, the agents' labs, the server and the nodes of polar-core) and that began since {@code
 * polar.sessions.since}, which is when the build began; so a single test's run is held to its own sessions, and those that an earlier build left are passed over. A session that a test deleted, with
 * its record, is none any more. Neither is one of a unit test that let its record grow too old to be kept. One that was cancelled keeps its record: its result says that it was not built, and its
 * record is built here all the same. One that was open when its server ended has no result, and is sealed here as a session without a harness is.
 *
 * <p>With {@code polar.sessions.out} set to a folder, each of them is written there for checks by others: {@code SERVER/SESSION.completions.json}, and beside it {@code
 * SERVER/SESSION-BUILDER.result.json} for each build and for what was {@code delivered}, and {@code sent} by the node where that differs.
 */
class EverySessionCheck {
    private static final Instant SINCE =
            Instant.parse(System.getProperty("polar.sessions.since", Instant.EPOCH.toString()));
    private static final String OUT = System.getProperty("polar.sessions.out", "");

    @TempDir
    private static Path copies;

    private static final Map<Path, List<KeptNode>> OPEN = new LinkedHashMap<>();
    private static final long STARTED = System.nanoTime();
    private static final Set<String> SERVERS = new HashSet<>();
    private static int sessions;
    private static int completions;
    private static int results;
    private static int problems;

    @AfterAll
    static void end() {
        OPEN.values().forEach(nodes -> nodes.forEach(KeptNode::close));
        System.out.printf(
                "%d sessions of %d servers with %d completions, %d results of them: %d problems, %.1f s%n",
                sessions, SERVERS.size(), completions, results, problems, (System.nanoTime() - STARTED) / 1e9);
    }

    private static List<KeptNode> nodes(Path folder) throws IOException {
        var nodes = OPEN.get(folder);
        if (nodes == null) {
            nodes = KeptNode.below(folder, copies);
            OPEN.put(folder, nodes);
        }
        return nodes;
    }

    private static boolean isOfThisBuild(KeptSession session) {
        return !session.begun().isBefore(SINCE);
    }

    @TestFactory
    Stream<DynamicContainer> each_session_is_proved_as_it_was_delivered_and_as_each_builder_makes_it()
            throws IOException {
        var servers = new ArrayList<DynamicContainer>();
        for (var folder : TestThatServes.folders().entrySet()) {
            var calls = folder.getValue();
            for (var node : nodes(folder.getKey())) {
                var own = node.sessions().stream()
                        .filter(EverySessionCheck::isOfThisBuild)
                        .map(session ->
                                dynamicTest(session.task() + ", " + session.id(), () -> check(node, session, calls)));
                servers.add(dynamicContainer(node.name(), own));
            }
        }
        return servers.stream();
    }

    private static void check(KeptNode node, KeptSession session, Calls calls) throws IOException {
        var record = session.completions(node.records());
        var forms = session.rebuilt(node.records());
        forms.putAll(session.delivered());
        if (calls == Calls.MADE_UP
                && !node.hasRecord(session)
                && forms.values().stream().anyMatch(EverySessionCheck::hadRecord)) {
            return;
        }
        node.records().unload(session.id());
        SERVERS.add(node.name());
        sessions++;
        completions += record.path("completions").size();
        results += forms.size();
        write(node, session.id() + ".completions.json", record);
        var found = new ArrayList<String>();
        for (var form : forms.entrySet()) {
            write(node, session.id() + "-" + form.getKey() + ".result.json", form.getValue());
            TraceCheck.problems(form.getValue(), record, calls == Calls.SIMULATED)
                    .forEach(problem -> found.add(form.getKey() + ": " + problem));
        }
        problems += found.size();
        assertThat(found).as("task " + session.task() + " at " + node.name()).isEmpty();
    }

    private static boolean hadRecord(JsonNode result) {
        return result.at("/trajectory/metadata/record_count").asInt() > 0;
    }

    private static void write(KeptNode node, String name, JsonNode json) throws IOException {
        if (!OUT.isEmpty()) {
            var folder = Files.createDirectories(Path.of(OUT, node.name()));
            Json.MAPPER.writeValue(folder.resolve(name).toFile(), json);
        }
    }

    @TestFactory
    Stream<DynamicTest> each_record_is_of_a_session_that_is_known() throws IOException {
        var tests = new ArrayList<DynamicTest>();
        for (var folder : TestThatServes.folders().keySet()) {
            for (var node : nodes(folder)) {
                tests.add(dynamicTest(
                        node.name(),
                        () -> assertThat(node.sessions().stream().filter(node::hasRecord))
                                .hasSize(node.files())));
            }
        }
        return tests.stream();
    }

    @TestFactory
    Stream<DynamicTest> each_test_that_ran_left_its_sessions() throws IOException {
        return TestThatServes.ran(SINCE).stream()
                .map(test -> dynamicTest(
                        test.name(),
                        () -> assertThat(nodes(test.folder()).stream().flatMap(node -> left(test, node)))
                                .as("sessions of " + test.name() + " below " + test.folder())
                                .isNotEmpty()));
    }

    private static Stream<KeptSession> left(TestThatServes test, KeptNode node) {
        return node.sessions().stream()
                .filter(EverySessionCheck::isOfThisBuild)
                .filter(session -> session.task().startsWith(test.tasks()))
                .filter(session -> test.calls() == Calls.NONE || node.completions(session) > 0);
    }

    @Test
    void of_each_test_that_ran_it_is_known_where_it_leaves_its_sessions() throws IOException {
        assertThat(TestThatServes.unknown(SINCE))
                .as("they are to be added to " + TestThatServes.class.getSimpleName())
                .isEmpty();
    }
}
