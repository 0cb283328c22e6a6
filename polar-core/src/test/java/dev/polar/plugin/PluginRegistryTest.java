package dev.polar.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.polar.evaluation.SessionCompletedEvaluator;
import dev.polar.plugin.PluginInfo.State;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.Harness;
import dev.polar.topology.Topology.PluginsConfig;
import dev.polar.wire.Binder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PluginRegistryTest {
    @TempDir
    Path folder;

    private PluginRegistry registry;

    @AfterEach
    void close() {
        if (registry != null) {
            registry.close();
        }
    }

    @Test
    void a_plugin_is_found_by_the_name_that_it_claims() throws Exception {
        PluginJar.harness("team-a", "1.2.3", "agent_a", "one").write(jars(), "a.jar");
        scan();

        try (var lease = registry.harness("agent_a")) {
            assertThat(said(lease)).isEqualTo("one");
            assertThat(lease.pluginId()).isEqualTo("team-a");
        }
        assertThat(registry.names(Kind.HARNESS)).containsExactly("agent_a");
        assertThat(info("team-a"))
                .isEqualTo(new PluginInfo(
                        "team-a", "1.2.3", "a.jar", State.LOADED, null, Map.of(Kind.HARNESS, List.of("agent_a"))));
    }

    @Test
    void what_is_built_in_stands_beside_it() throws Exception {
        scan();

        try (var lease = registry.evaluator("session_completed")) {
            assertThat(lease.value()).isInstanceOf(SessionCompletedEvaluator.class);
            assertThat(lease.pluginId()).isEqualTo(PluginInfo.BUILT_IN);
        }
        assertThat(registry.plugins().getFirst().names()).containsEntry(Kind.EVALUATOR, List.of("session_completed"));
    }

    @Test
    void an_unknown_name_is_told_with_the_known_ones_and_the_nearest() throws Exception {
        PluginJar.harness("team-a", "1.0", "agent_a", "one").write(jars(), "a.jar");
        scan();

        assertThatThrownBy(() -> registry.harness("agent_b"))
                .isInstanceOfSatisfying(
                        ExtensionException.class,
                        refused -> assertThat(refused.category()).isEqualTo(ExtensionException.Category.REQUEST))
                .hasMessage("unknown harness 'agent_b', did you mean 'agent_a'? (known: agent_a)");
        assertThatThrownBy(() -> registry.runtimeProvider("docker"))
                .hasMessage("unknown runtime backend 'docker' (known: none)");
    }

    @Test
    void bad_jars_are_listed_with_their_reason_and_the_rest_goes_on() throws Exception {
        Files.writeString(Files.createDirectories(jars()).resolve("text.jar"), "no zip at all");
        PluginJar.nameless().write(jars(), "nameless.jar");
        PluginJar.nameless().with("Plugin-Id", "old").write(jars(), "versionless.jar");
        PluginJar.of("empty", "1.0").write(jars(), "empty.jar");
        PluginJar.of("thrower", "1.0")
                .source(
                        "team.A",
                        PluginJar.harnessSource(
                                "A", "x", "1", "public A() { throw new IllegalStateException(\"no licence\"); }"))
                .write(jars(), "thrower.jar");
        PluginJar.of("greedy", "1.0")
                .source(
                        "team.A",
                        PluginJar.harnessSource(
                                "A",
                                "y",
                                "dev.polar.wire.Json.MAPPER",
                                "static final Object SERVERS = dev.polar.wire.Json.MAPPER;"))
                .write(jars(), "greedy.jar");
        PluginJar.of("nothing", "1.0")
                .source(
                        "team.A",
                        "package team; @org.pf4j.Extension public class A implements org.pf4j.ExtensionPoint {}")
                .write(jars(), "nothing.jar");
        PluginJar.harness("good", "1.0", "good", "fine").write(jars(), "good.jar");
        scan();

        assertThat(info("text.jar").reason()).startsWith("no readable jar");
        assertThat(info("nameless.jar").reason()).isEqualTo("its manifest has no Plugin-Id");
        assertThat(info("versionless.jar").reason()).isEqualTo("its manifest has no Plugin-Version");
        assertThat(info("empty").reason()).contains("META-INF/extensions.idx is missing or empty");
        assertThat(info("thrower").reason()).contains("no licence");
        assertThat(info("greedy").reason()).contains("dev/polar/wire/Json");
        assertThat(info("nothing").reason()).contains("team.A is none of Harness, RuntimeProvider");
        assertThat(registry.plugins())
                .filteredOn(plugin -> plugin.state() == State.FAILED)
                .hasSize(7);
        assertThat(said("good")).isEqualTo("fine");
    }

    @Test
    void two_jars_with_one_id_are_both_refused_and_the_one_that_stays_is_loaded() throws Exception {
        PluginJar.harness("team-a", "1.0", "agent_a", "one").write(jars(), "a-1.jar");
        var second = PluginJar.harness("team-a", "2.0", "agent_a", "two").write(jars(), "a-2.jar");
        scan();

        assertThat(registry.names(Kind.HARNESS)).isEmpty();
        assertThat(registry.plugins())
                .filteredOn(plugin -> "team-a".equals(plugin.id()))
                .hasSize(2)
                .allSatisfy(plugin -> assertThat(plugin.reason()).contains("Plugin-Id 'team-a' is also that of a-"));

        Files.delete(second);
        registry.scan();
        assertThat(said("agent_a")).isEqualTo("one");
    }

    @Test
    void a_second_jar_with_the_id_of_a_loaded_one_waits_until_that_is_gone() throws Exception {
        var first = PluginJar.harness("team-a", "1.0", "agent_a", "one").write(jars(), "a-1.jar");
        scan();
        PluginJar.harness("team-a", "2.0", "agent_a", "two").write(jars(), "a-2.jar");
        registry.scan();
        assertThat(said("agent_a")).isEqualTo("one");

        Files.delete(first);
        registry.scan();
        assertThat(said("agent_a")).isEqualTo("two");
    }

    @Test
    void a_name_that_two_plugins_claim_is_an_error_that_names_both() throws Exception {
        PluginJar.harness("team-a", "1.0", "shared", "one").write(jars(), "a.jar");
        PluginJar.harness("team-b", "2.0", "shared", "two").write(jars(), "b.jar");
        PluginJar.harness("team-c", "1.0", "own", "three").write(jars(), "c.jar");
        scan();

        var both = "harness 'shared' is claimed by plugin team-a 1.0 and by plugin team-b 2.0";
        assertThatThrownBy(() -> registry.harness("shared"))
                .isInstanceOf(ExtensionException.class)
                .hasMessageStartingWith(both);
        assertThat(info("team-a").reason()).startsWith(both);
        assertThat(info("team-b").reason()).startsWith(both);
        assertThat(info("team-c").reason()).isNull();
        assertThat(said("own")).isEqualTo("three");

        Files.delete(jars().resolve("b.jar"));
        registry.scan();
        assertThat(said("shared")).isEqualTo("one");
        assertThat(info("team-a").reason()).isNull();
    }

    @Test
    void a_plugin_does_not_replace_what_is_built_in() throws Exception {
        PluginJar.of("copy", "1.0").source("team.A", """
                        package team;
                        import dev.polar.spi.*;
                        import java.util.*;
                        @org.pf4j.Extension
                        public class A implements Evaluator<NoConfig> {
                            public Set<String> names() { return Set.of("session_completed"); }
                            public Class<NoConfig> configType() { return NoConfig.class; }
                            public Evaluation evaluate(EvaluationContext<NoConfig> c, Trajectory t, Optional<Object> b) {
                                return new Evaluation(9.0, null, Map.of());
                            }
                        }
                        """).write(jars(), "copy.jar");
        scan();

        assertThatThrownBy(() -> registry.evaluator("session_completed"))
                .hasMessageContaining("claimed by the server itself and by plugin copy 1.0");
    }

    @Test
    void a_session_finishes_on_the_version_that_it_began_with() throws Exception {
        PluginJar.harness("team-a", "1.0", "agent_a", "one").write(jars(), "a.jar");
        scan();
        try (var held = registry.harness("agent_a")) {
            PluginJar.harness("team-a", "2.0", "agent_a", "two").write(jars(), "a.jar");
            registry.scan();

            assertThat(said(held)).isEqualTo("one");
            assertThat(said("agent_a")).isEqualTo("two");
            assertThat(copies()).as("both versions are loaded").hasSize(2);
        }
        assertThat(copies()).as("the old one is gone with its last lease").hasSize(1);
    }

    @Test
    void a_removed_plugin_is_gone_for_new_sessions_and_stays_for_running_ones() throws Exception {
        var jar = PluginJar.harness("team-a", "1.0", "agent_a", "one").write(jars(), "a.jar");
        scan();
        try (var held = registry.harness("agent_a")) {
            Files.delete(jar);
            registry.scan();

            assertThatThrownBy(() -> registry.harness("agent_a")).hasMessageStartingWith("unknown harness 'agent_a'");
            assertThat(said(held)).isEqualTo("one");
        }
        assertThat(copies()).isEmpty();
        assertThat(registry.plugins()).hasSize(1);
    }

    @Test
    void a_replacement_that_cannot_be_loaded_leaves_the_version_before_it() throws Exception {
        var jar = PluginJar.harness("team-a", "1.0", "agent_a", "one").write(jars(), "a.jar");
        scan();
        Files.writeString(jar, "half a ja");
        registry.scan();

        assertThat(said("agent_a")).isEqualTo("one");
        assertThat(info("team-a").state()).isEqualTo(State.LOADED);
        assertThat(info("team-a").reason())
                .startsWith("the file was replaced by one that is not loaded: no readable jar");

        PluginJar.harness("team-a", "2.0", "agent_a", "two").write(jars(), "a.jar");
        registry.scan();
        assertThat(said("agent_a")).isEqualTo("two");
        assertThat(info("team-a").reason()).isNull();
    }

    @Test
    void a_jar_that_has_not_changed_is_not_opened_again() throws Exception {
        PluginJar.harness("team-a", "1.0", "agent_a", "one").write(jars(), "a.jar");
        scan();
        var before = copies();
        registry.scan();
        assertThat(copies()).isEqualTo(before);

        Files.setLastModifiedTime(jars().resolve("a.jar"), FileTime.fromMillis(1_000_000));
        registry.scan();
        assertThat(copies()).hasSize(1).isNotEqualTo(before);
    }

    @Test
    void enabled_and_disabled_lists_decide_what_is_loaded() throws Exception {
        PluginJar.harness("team-a", "1.0", "agent_a", "one").write(jars(), "a.jar");
        PluginJar.harness("team-b", "1.0", "agent_b", "two").write(jars(), "b.jar");
        scan(new PluginsConfig(jars(), List.of("team-a", "absent"), List.of(), Map.of()));
        assertThat(registry.names(Kind.HARNESS)).containsExactly("agent_a");
        assertThat(info("team-b").state()).isEqualTo(State.DISABLED);
        assertThat(info("absent").reason()).contains("no jar in " + jars());
        registry.close();

        scan(new PluginsConfig(jars(), List.of(), List.of("team-a"), Map.of()));
        assertThat(registry.names(Kind.HARNESS)).containsExactly("agent_b");
    }

    @Test
    void a_plugins_configuration_is_bound_to_the_record_that_it_declares() throws Exception {
        configurable().write(jars(), "a.jar");
        scan(configured(Map.of("team-a", Map.of("greeting", "hello", "other_name", 7))));

        assertThat(said("agent_a")).isEqualTo("hello 7");
    }

    @Test
    void a_wrong_key_of_its_configuration_is_the_reason_why_it_is_not_loaded() throws Exception {
        configurable().write(jars(), "a.jar");
        PluginJar.harness("team-b", "1.0", "agent_b", "x").write(jars(), "b.jar");
        scan(configured(Map.of("team-a", Map.of("greetin", "hello"), "team-b", Map.of("a", 1))));

        assertThat(info("team-a").reason())
                .contains("plugins.config.team-a")
                .contains("unknown key 'greetin', did you mean 'greeting'?");
        assertThat(info("team-b").reason()).contains("plugins.config.team-b: this plugin takes no configuration");
    }

    @Test
    void a_plugin_sees_its_own_libraries_the_jdk_and_the_spi_and_nothing_of_the_server() throws Exception {
        PluginJar.of("team-a", "1.0")
                .source(
                        "com.fasterxml.jackson.databind.ObjectMapper",
                        "package com.fasterxml.jackson.databind; public class ObjectMapper { public String toString() { return \"bundled\"; } }")
                .source("team.A", PluginJar.harnessSource("A", "agent_a", "see()", """
                        String see() {
                            var seen = new StringBuilder();
                            seen.append(new com.fasterxml.jackson.databind.ObjectMapper());
                            seen.append(Harness.class.getClassLoader() == getClass().getClassLoader() ? " spi:own" : " spi:shared");
                            seen.append(com.fasterxml.jackson.annotation.JsonProperty.class.getClassLoader() == getClass().getClassLoader()
                                    ? " annotations:own" : " annotations:shared");
                            for (var name : List.of("dev.polar.plugin.PluginRegistry", "dev.polar.wire.Binder", "com.fasterxml.jackson.core.JsonFactory",
                                    "java.net.http.HttpClient", "org.slf4j.Logger")) {
                                try {
                                    Class.forName(name, false, getClass().getClassLoader());
                                    seen.append(" +").append(name);
                                } catch (ClassNotFoundException hidden) {
                                    seen.append(" -").append(name);
                                }
                            }
                            seen.append(Thread.currentThread().getContextClassLoader() == getClass().getClassLoader() ? " context:own" : " context:other");
                            return seen.toString();
                        }
                        """))
                .write(jars(), "a.jar");
        scan();
        var before = Thread.currentThread().getContextClassLoader();

        assertThat(said("agent_a"))
                .isEqualTo(
                        "bundled spi:shared annotations:shared -dev.polar.plugin.PluginRegistry -dev.polar.wire.Binder"
                                + " -com.fasterxml.jackson.core.JsonFactory +java.net.http.HttpClient +org.slf4j.Logger context:own");
        assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(before);
    }

    @Test
    void settings_of_a_plugins_own_type_are_bound_by_the_server() throws Exception {
        configurable().write(jars(), "a.jar");
        scan(configured(Map.of()));

        try (var lease = registry.harness("agent_a")) {
            var settings = Binder.bind(
                    Map.of("level", "LOW", "words", List.of("a")), lease.value().settingsType(), "agent.settings");
            assertThat(settings).hasToString("Settings[level=LOW, words=[a]]");
        }
    }

    @Test
    void the_folder_is_watched_once_it_is_started() throws Exception {
        Files.createDirectories(jars());
        registry = new PluginRegistry(configured(Map.of()), folder.resolve("work"), List.of());
        registry.start();
        assertThat(registry.names(Kind.HARNESS)).isEmpty();

        PluginJar.harness("team-a", "1.0", "agent_a", "one").write(jars(), "a.jar");
        await().atMost(Duration.ofSeconds(30))
                .until(() -> registry.names(Kind.HARNESS).contains("agent_a"));
    }

    @Test
    void a_folder_that_is_missing_is_an_empty_one_and_what_a_crash_left_is_cleared() throws Exception {
        Files.createDirectories(folder.resolve("work"));
        Files.writeString(folder.resolve("work/1-old.jar"), "left");
        scan();

        assertThat(registry.plugins()).hasSize(1);
        assertThat(copies()).isEmpty();
    }

    @Test
    void a_closed_lease_gives_nothing_any_more_and_closing_twice_does_no_harm() throws Exception {
        PluginJar.harness("team-a", "1.0", "agent_a", "one").write(jars(), "a.jar");
        scan();
        var lease = registry.harness("agent_a");
        lease.close();
        lease.close();

        assertThatThrownBy(lease::value).isInstanceOf(IllegalStateException.class);
        assertThat(said("agent_a")).isEqualTo("one");
    }

    private static PluginJar configurable() {
        return PluginJar.of("team-a", "1.0").source("team.A", """
                package team;
                import com.fasterxml.jackson.annotation.JsonProperty;
                import dev.polar.spi.*;
                import java.util.*;
                @org.pf4j.Extension
                public class A implements Harness<A.Settings>, PluginConfigured<A.Config> {
                    public enum Level { LOW, HIGH }
                    public record Settings(Level level, List<String> words) {}
                    public record Config(String greeting, @JsonProperty("other_name") Integer number) {}
                    private Config config;
                    public Class<Config> pluginConfigType() { return Config.class; }
                    public void configure(Config given) { config = given; }
                    public Set<String> names() { return Set.of("agent_a"); }
                    public Class<Settings> settingsType() { return Settings.class; }
                    public Optional<ApiType> api() { return Optional.empty(); }
                    public List<ExecRequest> commands(HarnessContext<Settings> context) {
                        return List.of(ExecRequest.of("say", config.greeting() + " " + config.number()));
                    }
                }
                """);
    }

    private PluginsConfig configured(Map<String, Map<String, Object>> config) {
        return new PluginsConfig(jars(), List.of(), List.of(), config);
    }

    private Path jars() {
        return folder.resolve("plugins");
    }

    private void scan() throws IOException {
        scan(configured(Map.of()));
    }

    private void scan(PluginsConfig config) {
        registry = new PluginRegistry(config, folder.resolve("work"), List.of(new SessionCompletedEvaluator()));
        registry.scan();
    }

    private PluginInfo info(String id) {
        return registry.plugins().stream()
                .filter(plugin -> plugin.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + id + " in " + registry.plugins()));
    }

    private List<Path> copies() throws IOException {
        try (var files = Files.list(folder.resolve("work"))) {
            return files.sorted().toList();
        }
    }

    private String said(String name) throws InterruptedException {
        try (var lease = registry.harness(name)) {
            return said(lease);
        }
    }

    private static String said(Lease<Harness<?>> lease) throws InterruptedException {
        return lease.value().commands(null).getFirst().command().get(1);
    }
}
