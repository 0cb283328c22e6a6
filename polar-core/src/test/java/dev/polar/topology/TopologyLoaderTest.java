package dev.polar.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.polar.spi.EngineProfile;
import dev.polar.spi.PrepareAction;
import dev.polar.spi.Sampling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TopologyLoaderTest {
    private static final String ONE_NODE = """
            gateway:
              nodes:
                - id: a
            """;

    @TempDir
    Path folder;

    final Map<String, String> overrides = new HashMap<>();
    final Map<String, String> environment = new HashMap<>();
    final List<String> warnings = new ArrayList<>();

    Topology load(String yaml) {
        try {
            return TopologyLoader.load(
                    Files.writeString(folder.resolve("topology.yaml"), yaml),
                    name -> Optional.ofNullable(overrides.get(name)),
                    name -> Optional.ofNullable(environment.get(name)),
                    warnings::add);
        } catch (IOException impossible) {
            throw new AssertionError(impossible);
        }
    }

    void assertRefused(String yaml, int line, String... parts) {
        assertThatThrownBy(() -> load(yaml))
                .isInstanceOf(TopologyException.class)
                .message()
                .startsWith(folder.resolve("topology.yaml") + ":" + line + ": ")
                .contains(parts)
                .doesNotContain("\n");
    }

    @Nested
    class Defaults {
        @Test
        void a_file_with_one_node_gets_every_default() {
            var topology = load(ONE_NODE);

            var rollout = topology.rollout();
            assertThat(rollout.host()).isEqualTo("127.0.0.1");
            assertThat(rollout.port()).isEqualTo(8080);
            assertThat(rollout.publicUrl()).isEqualTo("http://127.0.0.1:8080");
            assertThat(rollout.saveDir()).isNull();
            assertThat(rollout.dispatchPollIntervalSeconds()).isEqualTo(1.0);
            assertThat(rollout.callbackGraceSeconds()).isEqualTo(120.0);
            assertThat(rollout.httpMaxConnections()).isEqualTo(1024);
            assertThat(rollout.httpMaxKeepaliveConnections()).isEqualTo(256);
            assertThat(rollout.cleanupMaxConcurrency()).isEqualTo(128);
            assertThat(rollout.database()).isEqualTo(RolloutConfig.DatabaseConfig.EMBEDDED);
            assertThat(rollout.maxAttempts()).isEqualTo(3);
            assertThat(rollout.retentionDays()).isEqualTo(30);
            assertThat(rollout.callbackGiveUpHours()).isEqualTo(24.0);
            assertThat(rollout.warnOnUnknownKeys()).isFalse();
            assertThat(rollout.checkAssets()).isTrue();

            var gateway = topology.gateway();
            assertThat(gateway.heartbeatIntervalSeconds()).isEqualTo(30.0);
            assertThat(gateway.rolloutServerUrl()).isEqualTo("http://127.0.0.1:8080");
            assertThat(gateway.persistence()).isEqualTo(GatewayConfig.Persistence.DEFAULT);

            var node = topology.node("a");
            assertThat(node.publicUrl()).isEqualTo("http://127.0.0.1:8081");
            assertThat(node.agentListen()).isNull();
            assertThat(node.modelServed()).isEmpty();
            assertThat(node.inference())
                    .isEqualTo(new NodeConfig.Inference(
                            "sglang",
                            List.of("http://127.0.0.1:8000"),
                            NodeConfig.Streaming.BUFFERED,
                            null,
                            false,
                            Sampling.NONE,
                            OptionalInt.empty(),
                            null));
            assertThat(List.of(
                            node.maxInitWorkers(), node.maxRunWorkers(), node.maxPostrunWorkers(), node.readyBuffer()))
                    .containsExactly(4, 2, 4, 2);
            assertThat(node.maxBodyMb()).isEqualTo(64);
            assertThat(node.snapshots()).isEqualTo(NodeConfig.Snapshots.OFF);
            assertThat(node.roots()).isEmpty();

            assertThat(topology.dataDir()).isEqualTo(folder.resolve(".polar"));
            assertThat(topology.plugins().dirs()).containsExactly(folder.resolve("plugins"));
            assertThat(topology.controlTokenScope()).isEqualTo(Topology.ControlTokenScope.ALL);
            assertThat(topology.defaults().isEmpty()).isTrue();
            assertThat(topology.presets()).isEmpty();
            assertThat(warnings).isEmpty();
        }

        @Test
        void a_node_without_an_id_has_the_machines_name() {
            assertThat(load("gateway: {nodes: [{port: 9000}]}")
                            .gateway()
                            .nodes()
                            .getFirst()
                            .id())
                    .isEqualTo(Hosts.machineName());
        }

        @Test
        void the_ready_buffer_follows_the_run_workers() {
            assertThat(load("gateway: {nodes: [{id: a, max_run_workers: 7}]}")
                            .node("a")
                            .readyBuffer())
                    .isEqualTo(7);
        }

        @Test
        void a_null_counts_as_absent() {
            assertThat(load("rollout: {port: null, save_dir: null}\n" + ONE_NODE)
                            .rollout()
                            .port())
                    .isEqualTo(8080);
        }
    }

    @Nested
    class Values {
        @Test
        void a_base_url_is_one_or_a_list_and_loses_its_v1() {
            var topology = load("""
                    gateway:
                      nodes:
                        - id: one
                          inference: {base_url: "http://gpu:8000/v1/"}
                        - id: two
                          inference:
                            base_url:
                              - http://gpu-1:8000/v1
                              - http://gpu-2:8000/
                    """);
            assertThat(topology.node("one").inference().baseUrls()).containsExactly("http://gpu:8000");
            assertThat(topology.node("two").inference().baseUrls())
                    .containsExactly("http://gpu-1:8000", "http://gpu-2:8000");
        }

        @Test
        void relative_paths_start_at_the_files_folder() {
            var topology = load("""
                    rollout: {save_dir: results}
                    gateway:
                      nodes:
                        - id: a
                          roots: [uploads, /data]
                          default_runtime:
                            backend: local
                            prepare: [{type: upload_file, source: seed.txt, target: /polar/session/seed.txt}]
                    data_dir: state
                    plugins: {dir: extra}
                    defaults:
                      agent: {skills_path: skills}
                    """);
            assertThat(topology.rollout().saveDir()).isEqualTo(folder.resolve("results"));
            assertThat(topology.node("a").roots()).containsExactly(folder.resolve("uploads"), Path.of("/data"));
            assertThat(topology.node("a").defaultRuntime().prepare())
                    .containsExactly(new PrepareAction.UploadFile(
                            folder.resolve("seed.txt").toString(), "/polar/session/seed.txt"));
            assertThat(topology.dataDir()).isEqualTo(folder.resolve("state"));
            assertThat(topology.plugins().dirs()).containsExactly(folder.resolve("extra"));
            assertThat(topology.defaults().at("/agent/skills_path").textValue())
                    .isEqualTo(folder.resolve("skills").toString());
        }

        @Test
        void every_key_of_a_node_is_read() {
            var node = load("""
                    gateway:
                      nodes:
                        - id: a
                          agent_listen: 10.0.0.1:8082
                          model_served: m
                          inference:
                            engine: vllm
                            streaming: native
                            continuation: plain
                            continuation_keep: true
                            sampling: {temperature: 0.5, top_p: 0.9, top_k: -1, min_p: 0, max_tokens: 100, seed: 4294967296}
                            end_of_turn_token_id: 5
                            logprobs: temperature
                          model_pool:
                            - {alias: pool/judge, model: j, base_url: "http://judge/v1", api_key_env: KEY, max_concurrency: 3}
                          open_sessions: true
                          max_body_mb: 8
                          snapshots: {enabled: true, max_gb: 1, max_age_hours: 2}
                    """).node("a");
            assertThat(node.agentListen()).isEqualTo("10.0.0.1:8082");
            assertThat(node.modelServed()).isEqualTo("m");
            assertThat(node.inference())
                    .isEqualTo(new NodeConfig.Inference(
                            "vllm",
                            List.of("http://127.0.0.1:8000"),
                            NodeConfig.Streaming.NATIVE,
                            NodeConfig.Continuation.PLAIN,
                            true,
                            new Sampling(0.5, 0.9, -1, 0.0, 100, 4294967296L),
                            OptionalInt.of(5),
                            EngineProfile.Logprobs.TEMPERATURE));
            assertThat(node.modelPool())
                    .containsExactly(new NodeConfig.PoolModel("pool/judge", "j", "http://judge", "KEY", 3));
            assertThat(node.openSessions()).isTrue();
            assertThat(node.snapshots()).isEqualTo(new NodeConfig.Snapshots(true, 1, 2));
        }

        @Test
        void max_field_bytes_is_accepted_with_one_warning() {
            load("""
                    gateway:
                      completion_persistence: {max_field_bytes: 1048576}
                      nodes: [{id: a}]
                    """);
            assertThat(warnings)
                    .singleElement()
                    .asString()
                    .contains("topology.yaml:2", "max_field_bytes", "nothing is truncated");
        }

        @Test
        void plugin_config_stays_free_form() {
            var config = load("plugins: {config: {docker: {pull: true, sizes: [1, 2]}}}\n" + ONE_NODE)
                    .plugins()
                    .config();
            assertThat(config).isEqualTo(Map.of("docker", Map.of("pull", true, "sizes", List.of(1, 2))));
        }

        @Test
        void defaults_and_presets_may_leave_the_rest_to_the_task() {
            var topology = load("""
                    defaults:
                      agent: {model_name: sim}
                      runtime: {env: {A: b}}
                      evaluator: {refresh_runtime: true}
                      builder: {config: {merge: any}}
                      timeout_seconds: 30
                    presets:
                      quick:
                        agent: {harness: shell, custom_shell: {command: "true"}}
                    """ + ONE_NODE);
            assertThat(topology.defaults().at("/builder/config/merge").textValue())
                    .isEqualTo("any");
            assertThat(topology.defaults().at("/agent").has("harness")).isFalse();
            assertThat(topology.presets()).containsOnlyKeys("quick");
        }
    }

    @Nested
    class Refusals {
        @ParameterizedTest
        @CsvSource(delimiter = '|', textBlock = """
                rolout: {}                                     | rolout: unknown key 'rolout', did you mean 'rollout'?
                rollout: {prot: 80}                            | rollout.prot: unknown key 'prot', did you mean 'port'?
                plugins: {dirs: x}                             | plugins.dirs: unknown key 'dirs', did you mean 'dir'?
                rollout: {database: {usr: x}}                  | rollout.database.usr: unknown key
                defaults: {agent: {modle_name: x}}             | defaults.agent.modle_name: unknown key 'modle_name', did you mean 'model_name'?
                defaults: {timeout_second: 3}                  | defaults.timeout_second: unknown key
                presets: {p: {evaluator: {strategie: x}}}      | presets.p.evaluator.strategie: unknown key
                presets: {p: {builder: {strategy: 3}}}         | presets.p.builder.strategy: must be a string
                defaults: {runtime: {cpus: -1}}                | defaults.runtime.cpus: -1.0 must be a finite number greater than 0
                rollout: {port: http}                          | rollout.port: 'http' is not a whole number in 0..65535
                rollout: {port: 70000}                         | rollout.port: 70000 is not a whole number in 0..65535
                rollout: {port: 80.5}                          | rollout.port: 80.5 is not a whole number
                rollout: {http_max_connections: 0}             | rollout.http_max_connections: 0 is not a whole number of at least 1
                rollout: {dispatch_poll_interval_seconds: 0}   | rollout.dispatch_poll_interval_seconds: 0 is not a number greater than 0
                rollout: {dispatch_poll_interval_seconds: .nan} | is not a number greater than 0
                rollout: {callback_grace_seconds: -1}          | rollout.callback_grace_seconds: -1 is not a number of at least 0
                rollout: {public_url: "ftp://x"}               | rollout.public_url: 'ftp://x' is not an http or https URL
                rollout: {database: {url: "postgres://x"}}     | is not a JDBC URL
                rollout: {check_assets: yes}                   | rollout.check_assets: 'yes' is not true or false
                rollout: {unknown_keys: ignore}                | rollout.unknown_keys: 'ignore' is not one of reject, warn
                rollout: []                                    | rollout: a list is not a mapping
                rollout: {save_dir: 3}                         | rollout.save_dir: 3 is not a string
                control_token_scope: some                      | control_token_scope: 'some' is not one of all, public
                """)
        void one_line_says_where_what_and_what_was_expected(String line, String expected) {
            assertRefused(ONE_NODE + line, 4, expected);
        }

        @ParameterizedTest
        @CsvSource(delimiter = '|', textBlock = """
                {id: a, inference: {engin: vllm}}                | gateway.nodes[0].inference.engin: unknown key 'engin', did you mean 'engine'?
                {id: a, inference: {base_url: gpu:8000}}         | gateway.nodes[0].inference.base_url: 'gpu:8000' is not an http or https URL
                {id: a, inference: {sampling: {top_k: 0}}}       | gateway.nodes[0].inference.sampling.top_k: 0 is neither
                {id: a, inference: {sampling: {top_p: 1.5}}}     | gateway.nodes[0].inference.sampling.top_p: 1.5 is not a number in 0..1
                {id: a, max_run_workers: 0}                      | gateway.nodes[0].max_run_workers: 0 is not a whole number of at least 1
                {id: a, ready_buffer: -1}                        | gateway.nodes[0].ready_buffer: -1 is not a whole number of at least 0
                {id: a, agent_listen: "8082"}                    | gateway.nodes[0].agent_listen: '8082' is not host:port
                {id: a/b}                                        | gateway.nodes[0].id: must have 1 to 200 characters
                {id: a, host: "http://x"}                        | gateway.nodes[0].host: 'http://x' is not a host name
                {id: a, default_runtime: {backend: docker}}      | gateway.nodes[0].default_runtime.image: is required for the backend 'docker'
                {id: a, model_pool: [{alias: judge}]}            | gateway.nodes[0].model_pool[0].alias: 'judge' does not start with pool/
                7                                                | gateway.nodes[0]: 7 is not a mapping
                """)
        void so_it_does_inside_a_node(String node, String expected) {
            assertRefused("gateway:\n  nodes:\n    - " + node, 3, expected);
        }

        @Test
        void the_line_is_the_keys_own() {
            assertRefused("""
                    gateway:
                      nodes:
                        - id: a
                          inference:
                            engine: vllm
                            base_url:
                              - http://gpu:8000
                              - gpu-2
                    """, 6, "base_url", "'gpu-2'");
        }

        @Test
        void a_node_id_that_stands_twice_names_both_places() {
            assertRefused("""
                    gateway:
                      nodes:
                        - id: a
                        - id: a
                    """, 4, "gateway.nodes[1].id: 'a' is the id of gateway.nodes[0].id too");
        }

        @Test
        void a_key_that_stands_twice_names_both_lines() {
            assertRefused("rollout:\n  port: 1\n  port: 2\n", 3, "rollout.port: stands twice (first in line 2)");
        }

        @ParameterizedTest
        @ValueSource(strings = {"", "gateway: {}", "gateway: {nodes: []}"})
        void a_file_without_nodes_is_refused(String yaml) {
            assertRefused(yaml, 1, "gateway.nodes: at least one node is needed");
        }

        @Test
        void what_is_no_yaml_is_refused_with_its_line() {
            assertRefused("rollout:\n  port: [1\ngateway: {}\n", 3, "is not YAML");
        }

        @Test
        void a_list_at_the_top_is_refused() {
            assertRefused("- a\n", 1, "a mapping was expected");
        }

        @Test
        void an_alias_of_itself_is_refused() {
            assertRefused("defaults: &d\n  agent: *d\n", 2, "refers to itself");
        }

        @Test
        void a_missing_file_is_named() {
            assertThatThrownBy(() -> TopologyLoader.load(folder.resolve("none.yaml"), _ -> Optional.empty()))
                    .isInstanceOf(TopologyException.class)
                    .hasMessage(folder.resolve("none.yaml") + ": there is no such file");
        }
    }

    @Nested
    class Environment {
        @Test
        void a_variable_is_read_as_if_its_value_stood_there() {
            environment.put("PORT", "9090");
            environment.put("GPU", "gpu-7");
            var topology = load("""
                    rollout:
                      port: ${PORT}
                    gateway:
                      nodes:
                        - id: a
                          port: ${NODE_PORT:9191}
                          inference: {base_url: "http://${GPU}:8000"}
                    """);
            assertThat(topology.rollout().port()).isEqualTo(9090);
            assertThat(topology.node("a").port()).isEqualTo(9191);
            assertThat(topology.node("a").inference().baseUrls()).containsExactly("http://gpu-7:8000");
        }

        @Test
        void a_missing_variable_is_named_with_its_place() {
            assertRefused("rollout:\n  save_dir: ${NOWHERE}/x\n", 2, "rollout.save_dir", "NOWHERE is not set");
        }

        @Test
        void an_empty_default_is_a_default() {
            assertThat(load("gateway:\n  nodes:\n    - id: a\n      model_served: \"${MODEL:}\"\n")
                            .node("a")
                            .modelServed())
                    .isEmpty();
        }

        @Test
        void two_dollars_keep_the_text() {
            var topology = load("""
                    defaults:
                      agent: {harness: shell, custom_shell: {command: "echo $${HOME} $HOME"}}
                    """ + ONE_NODE);
            assertThat(topology.defaults().at("/agent/custom_shell/command").textValue())
                    .isEqualTo("echo ${HOME} $HOME");
        }
    }

    @Nested
    class Overrides {
        @Test
        void configuration_wins_over_the_file_and_over_defaults() {
            overrides.put("polar.rollout.port", "9999");
            overrides.put("polar.rollout.save_dir", "elsewhere");
            overrides.put("polar.gateway.nodes.a.port", "9998");
            overrides.put("polar.gateway.nodes.a.inference.base_url", "http://x:1/v1, http://x:2");
            overrides.put("polar.gateway.nodes.a.open_sessions", "true");
            overrides.put("polar.defaults.timeout_seconds", "12");
            overrides.put("polar.plugins.config.docker.pull", "false");
            var topology = load("""
                    rollout: {port: 1}
                    defaults: {timeout_seconds: 5}
                    plugins: {config: {docker: {pull: true}}}
                    """ + ONE_NODE);
            assertThat(topology.rollout().port()).isEqualTo(9999);
            assertThat(topology.rollout().publicUrl()).isEqualTo("http://127.0.0.1:9999");
            assertThat(topology.rollout().saveDir()).isEqualTo(folder.resolve("elsewhere"));
            assertThat(topology.node("a").port()).isEqualTo(9998);
            assertThat(topology.node("a").inference().baseUrls()).containsExactly("http://x:1", "http://x:2");
            assertThat(topology.node("a").openSessions()).isTrue();
            assertThat(topology.defaults().get("timeout_seconds").intValue()).isEqualTo(12);
            assertThat(topology.plugins().config().get("docker")).isEqualTo(Map.of("pull", false));
        }

        @Test
        void bundled_plugins_stand_beside_the_operators_own() {
            overrides.put("polar.plugins.bundled", "/opt/polar/plugins");
            assertThat(load(ONE_NODE).plugins().dirs())
                    .containsExactly(Path.of("/opt/polar/plugins"), folder.resolve("plugins"));
        }

        @Test
        void a_bad_override_names_the_configuration_key() {
            overrides.put("polar.rollout.port", "many");
            assertThatThrownBy(() -> load(ONE_NODE))
                    .hasMessage("polar.rollout.port: rollout.port: 'many' is not a whole number in 0..65535");
        }
    }

    @Nested
    class HostsRule {
        @Test
        void with_a_token_servers_listen_everywhere_and_are_reached_on_loopback() {
            environment.put("POLAR_CONTROL_PLANE_TOKEN", "secret");
            var topology = load(ONE_NODE);
            assertThat(topology.rollout().host()).isEqualTo("0.0.0.0");
            assertThat(topology.rollout().publicUrl()).isEqualTo("http://127.0.0.1:8080");
            assertThat(topology.node("a").host()).isEqualTo("0.0.0.0");
        }

        @ParameterizedTest
        @ValueSource(strings = {"0.0.0.0", "10.0.0.1", "gpu-box", "::"})
        void without_one_a_host_beyond_loopback_is_refused_with_both_remedies(String host) {
            assertRefused(
                    "rollout:\n  host: \"" + host + "\"\n" + ONE_NODE,
                    2,
                    "rollout.host: '" + host + "'",
                    "POLAR_CONTROL_PLANE_TOKEN",
                    "allow_open_control_plane: true");
        }

        @Test
        void a_nodes_host_is_held_to_it_too() {
            assertRefused("gateway: {nodes: [{id: a, host: 0.0.0.0}]}", 1, "gateway.nodes[0].host");
        }

        @ParameterizedTest
        @ValueSource(strings = {"localhost", "127.0.0.1", "127.9.9.9", "::1"})
        void loopback_needs_no_token(String host) {
            assertThat(load("rollout: {host: \"" + host + "\"}\n" + ONE_NODE)
                            .rollout()
                            .host())
                    .isEqualTo(host);
        }

        @Test
        void an_empty_token_is_none() {
            environment.put("POLAR_CONTROL_PLANE_TOKEN", "");
            assertThat(load(ONE_NODE).rollout().host()).isEqualTo("127.0.0.1");
        }

        @Test
        void the_operator_may_allow_it() {
            var topology = load("allow_open_control_plane: true\nrollout: {host: \"::\"}\n" + ONE_NODE);
            assertThat(topology.allowOpenControlPlane()).isTrue();
            assertThat(topology.rollout().publicUrl()).isEqualTo("http://127.0.0.1:8080");
        }

        @Test
        void an_ipv6_address_stands_in_brackets_in_a_url() {
            assertThat(load("rollout: {host: \"::1\"}\n" + ONE_NODE).rollout().publicUrl())
                    .isEqualTo("http://[::1]:8080");
        }
    }
}
