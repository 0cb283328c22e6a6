package dev.polar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PolarTest {
    @TempDir
    Path folder;

    private record Said(int status, String err) {}

    /** Runs a command in this process; picocli writes its complaints to the error stream of the moment. */
    private static synchronized Said run(String... arguments) {
        var before = System.err;
        var bytes = new ByteArrayOutputStream();
        System.setErr(new PrintStream(bytes, true));
        try {
            return new Said(Polar.run(arguments), bytes.toString());
        } finally {
            System.setErr(before);
        }
    }

    @Test
    void a_misspelt_command_is_one_line_with_the_nearest_one() {
        var said = run("subit", "task.yaml");
        assertThat(said.status()).isEqualTo(2);
        assertThat(said.err().lines())
                .singleElement()
                .asString()
                .contains("submit")
                .contains("polar --help");
    }

    @Test
    void a_missing_option_is_one_line() {
        var said = run("serve");
        assertThat(said.status()).isEqualTo(2);
        assertThat(said.err().lines())
                .singleElement()
                .asString()
                .contains("--config")
                .contains("polar serve --help");
    }

    @Test
    void a_missing_file_is_one_line_without_a_stack_trace() {
        var said = run("submit", folder.resolve("none.yaml").toString());
        assertThat(said.status()).isEqualTo(2);
        assertThat(said.err().lines()).singleElement().asString().contains("none.yaml: there is no such file");
    }

    @Test
    void verbose_shows_the_stack_trace() {
        var said = run("submit", folder.resolve("none.yaml").toString(), "--verbose");
        assertThat(said.status()).isEqualTo(2);
        assertThat(said.err()).contains("there is no such file").contains("\tat dev.polar");
    }

    @Test
    void a_topology_whose_port_is_free_to_choose_cannot_lead_to_the_server() throws Exception {
        var topology = Files.writeString(folder.resolve("t.yaml"), "rollout: {port: 0}\ngateway: {nodes: [{id: a}]}");
        var said = run("status", "-c", topology.toString());
        assertThat(said.status()).isEqualTo(2);
        assertThat(said.err().lines())
                .singleElement()
                .asString()
                .contains("rollout.port")
                .contains("--rollout-url");
    }
}
