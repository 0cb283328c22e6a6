package dev.polar.runtime.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.polar.spi.ExecRequest;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.Runtime;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class WithoutBubblewrapTest extends LocalRuntimeContract {
    @Override
    String bubblewrap() {
        return "never";
    }

    @Test
    void session_paths_are_mapped_in_the_environment_and_not_in_command_text() throws Exception {
        var here = runtime.path(Runtime.SESSION_DIR);
        var result = runtime.exec(ExecRequest.shell("echo $A $B $C /polar/session")
                .withEnv(Map.of("A", "x:/polar/session/bin:y", "B", "/polar/sessions", "C", "/data/polar/session")));

        assertThat(result.stdout())
                .isEqualTo("x:" + here + "/bin:y /polar/sessions /data/polar/session /polar/session\n");
    }

    @Test
    void a_volume_with_another_name_inside_needs_bubblewrap() {
        assertThatThrownBy(() -> provider.start(request(
                        Map.of(), Map.of("bubblewrap", "never", "volumes", List.of(node + ":/data")), null, null)))
                .isInstanceOf(ExtensionException.class)
                .hasMessageContaining("without bubblewrap");
    }
}
