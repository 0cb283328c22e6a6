package dev.polar.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.polar.spi.InvalidValueException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartRulesTest {
    @TempDir
    Path folder;

    @Test
    void a_host_beyond_loopback_needs_a_token_or_the_operators_word() {
        for (var open : new String[] {"0.0.0.0", "::", "*", "192.0.2.1"}) {
            assertThatThrownBy(() -> HostsRule.check("rollout.host", open, false, false))
                    .isInstanceOf(StartException.class)
                    .hasMessageContaining("rollout.host: '" + open + "'")
                    .hasMessageContaining("POLAR_CONTROL_PLANE_TOKEN")
                    .hasMessageContaining("allow_open_control_plane: true");
            assertThatCode(() -> HostsRule.check("rollout.host", open, true, false))
                    .doesNotThrowAnyException();
            assertThatCode(() -> HostsRule.check("rollout.host", open, false, true))
                    .doesNotThrowAnyException();
        }
        for (var own : new String[] {"127.0.0.1", "127.0.0.9", "localhost", "::1"}) {
            assertThatCode(() -> HostsRule.check("rollout.host", own, false, false))
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void a_state_folder_belongs_to_one_at_a_time() {
        var first = StateFolder.claim(folder.resolve("a/b"));
        assertThatThrownBy(() -> StateFolder.claim(folder.resolve("a/b")))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("in use by another Polar process");
        first.close();
        StateFolder.claim(folder.resolve("a/b")).close();
    }

    @Test
    void a_state_folder_that_cannot_be_made_is_named() throws Exception {
        var file = Files.writeString(folder.resolve("file"), "");
        assertThatThrownBy(() -> StateFolder.claim(file.resolve("x")))
                .isInstanceOf(StartException.class)
                .hasMessageContaining(file.toString());
    }

    @Test
    void listeners_are_read_by_the_names_of_the_servers_own_configuration() {
        var config = Map.of(
                "polar.listen.rollout.enabled", "true",
                "polar.listen.rollout.port", "8080",
                "polar.listen.gateway.enabled", "false",
                "polar.listen.gateway.port", "8081",
                "polar.listen.agent.enabled", "TRUE",
                "polar.listen.agent.host", "10.0.0.1",
                "polar.listen.agent.port", "8082");
        var listeners = Listeners.from(name -> Optional.ofNullable(config.get(name)));
        assertThat(listeners.at(8080)).contains(Listeners.Kind.ROLLOUT);
        assertThat(listeners.at(8081)).isEmpty();
        assertThat(listeners.address(Listeners.Kind.AGENT)).contains(new Listeners.Address("10.0.0.1", 8082));
        assertThatThrownBy(() -> Listeners.from(name -> Optional.of(name.endsWith("port") ? "http" : "true")))
                .isInstanceOf(InvalidValueException.class)
                .hasMessageContaining("polar.listen.rollout.port")
                .hasMessageContaining("'http'");
    }

    @Test
    void a_role_is_named_by_one_of_three_words() {
        assertThat(Role.of("all")).containsExactly(Role.ROLLOUT, Role.GATEWAY);
        assertThat(Role.of(" Gateway ")).containsExactly(Role.GATEWAY);
        assertThatThrownBy(() -> Role.of("both"))
                .hasMessageContaining("'both'")
                .hasMessageContaining("rollout, gateway, all");
    }
}
