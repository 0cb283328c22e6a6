package dev.polar.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.polar.sim.IdInput;
import dev.polar.sim.SimEngine;
import dev.polar.sim.SimOptions;
import dev.polar.sim.SimServer;
import dev.polar.topology.NodeConfig;
import dev.polar.topology.Topology.PluginsConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EngineFindingsTest {
    @TempDir
    Path folder;

    private List<Finding> look(String engine, String url, String more) throws IOException {
        return look("", engine, url, more);
    }

    private List<Finding> look(String node, String engine, String url, String more) throws IOException {
        return EngineFindings.of(
                node(node, engine, url, more),
                new PluginsConfig(folder.resolve("none"), List.of(), List.of(), Map.of()));
    }

    private NodeConfig node(String node, String engine, String url, String more) throws IOException {
        var topology = Files.writeString(
                folder.resolve("t.yaml"),
                "gateway: {nodes: [{id: a, " + node + "inference: {engine: " + engine + ", base_url: '" + url + "'"
                        + more + "}}]}");
        return new Configuration().load(topology, _ -> {}).gateway().nodes().getFirst();
    }

    private static String name(SimEngine engine) {
        return engine.name().toLowerCase(Locale.ROOT);
    }

    private static Finding only(List<Finding> findings, String name) {
        return findings.stream()
                .filter(finding -> finding.name().equals(name))
                .reduce((one, other) -> {
                    throw new AssertionError("twice: " + one + other);
                })
                .orElseThrow();
    }

    @ParameterizedTest
    @EnumSource
    void an_engine_that_can_do_all_says_so_with_its_version(SimEngine engine) throws IOException {
        var options = SimOptions.builder().engine(engine).reasoning(true).build();
        try (var sim = SimServer.start(options)) {
            var findings = look(name(engine), sim.url(), "");
            assertThat(findings).allMatch(finding -> finding.verdict() == Finding.Verdict.OK);
            assertThat(only(findings, "engine").text())
                    .contains(sim.url())
                    .contains(engine == SimEngine.VLLM ? "vllm 0.32.0" : "sglang 0.5.23")
                    .contains("sim (131072 tokens)");
            assertThat(only(findings, "ids").text())
                    .contains(engine == SimEngine.VLLM ? "/kv_transfer_params/prompt_token_ids" : "/input_ids")
                    .contains("go on exactly");
            assertThat(only(findings, "logprobs").text()).contains(engine == SimEngine.VLLM ? "raw" : "temperature");
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_model_that_no_server_has_is_told_by_its_name_and_theirs(SimEngine engine) throws IOException {
        try (var sim = SimServer.start(SimOptions.builder().engine(engine).build())) {
            var model = only(look("model_served: foo, ", name(engine), sim.url(), ""), "model");
            assertThat(model.verdict()).isEqualTo(Finding.Verdict.WRONG);
            assertThat(model.text()).contains("no 'foo'", "sim (131072 tokens)", "correct model_served");
            assertThat(look("model_served: sim, ", name(engine), sim.url(), ""))
                    .noneMatch(finding -> finding.name().equals("model"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_engine_of_another_kind_is_told_by_its_name_and_nothing_else_is_asked_of_it(SimEngine engine)
            throws IOException {
        var other = engine == SimEngine.VLLM ? SimEngine.SGLANG : SimEngine.VLLM;
        try (var sim = SimServer.start(SimOptions.builder().engine(engine).build())) {
            assertThat(look(name(other), sim.url(), "")).singleElement().satisfies(finding -> {
                assertThat(finding.name()).isEqualTo("engine");
                assertThat(finding.verdict()).isEqualTo(Finding.Verdict.WRONG);
                assertThat(finding.text())
                        .contains("of kind " + name(engine), "inference.engine says " + name(other))
                        .contains("set inference.engine: " + name(engine));
            });
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_server_does_not_start_before_another_engine_or_another_model_than_its_topology_names(SimEngine engine)
            throws IOException {
        var other = engine == SimEngine.VLLM ? SimEngine.SGLANG : SimEngine.VLLM;
        try (var sim = SimServer.start(SimOptions.builder().engine(engine).build())) {
            EngineFindings.refuseMismatch(node("model_served: sim, ", name(engine), sim.url(), ""));
            EngineFindings.refuseMismatch(node("", name(engine), sim.url(), ""));
            assertThatExceptionOfType(UserException.class)
                    .isThrownBy(() -> EngineFindings.refuseMismatch(node("", name(other), sim.url(), "")))
                    .withMessageStartingWith("node a: " + sim.url() + " is an engine of kind " + name(engine));
            assertThatExceptionOfType(UserException.class)
                    .isThrownBy(() ->
                            EngineFindings.refuseMismatch(node("model_served: foo, ", name(engine), sim.url(), "")))
                    .withMessageContainingAll("serves no 'foo'", "correct model_served");
        }
    }

    @Test
    void an_engine_that_no_one_here_knows_is_not_asked_before_a_start() throws IOException {
        EngineFindings.refuseMismatch(node("model_served: foo, ", "steam", "http://127.0.0.1:1", ""));
    }

    @ParameterizedTest
    @EnumSource
    void a_backend_that_takes_no_ids_is_told_with_what_it_answered(SimEngine engine) throws IOException {
        for (var input : List.of(IdInput.IGNORED, IdInput.REFUSED)) {
            try (var sim = SimServer.start(
                    SimOptions.builder().engine(engine).idInput(input).build())) {
                var ids = only(look(name(engine), sim.url(), ""), "ids");
                assertThat(ids.verdict()).isEqualTo(Finding.Verdict.MISSING);
                assertThat(ids.text())
                        .contains("turns are plain")
                        .contains(input == IdInput.IGNORED ? "other ids" : "Extra inputs are not permitted");
            }
        }
    }

    @Test
    void streams_that_cannot_be_proved_are_wrong_only_where_they_are_wanted() throws IOException {
        try (var sim =
                SimServer.start(SimOptions.builder().engine(SimEngine.SGLANG).build())) {
            assertThat(only(look("sglang", sim.url(), ""), "streams").verdict()).isEqualTo(Finding.Verdict.MISSING);
            var wanted = only(look("sglang", sim.url(), ", streaming: native"), "streams");
            assertThat(wanted.verdict()).isEqualTo(Finding.Verdict.WRONG);
            assertThat(wanted.text()).contains("--reasoning-parser");
        }
    }

    @Test
    void what_is_there_and_not_used_says_by_which_key() throws IOException {
        try (var sim = SimServer.start(SimOptions.defaults())) {
            assertThat(only(look("vllm", sim.url(), ", continuation: plain"), "ids")
                            .text())
                    .contains("not used: inference.continuation is plain");
        }
    }

    @Test
    void an_engine_that_no_plugin_knows_is_wrong() throws IOException {
        var findings = look("steam", "http://127.0.0.1:1", "");
        assertThat(findings).singleElement().satisfies(finding -> {
            assertThat(finding.verdict()).isEqualTo(Finding.Verdict.WRONG);
            assertThat(finding.text()).contains("steam");
        });
    }
}
