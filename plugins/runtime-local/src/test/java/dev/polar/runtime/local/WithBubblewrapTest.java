package dev.polar.runtime.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.polar.plugin.testing.Needed;
import dev.polar.spi.ExecRequest;
import dev.polar.spi.ExtensionException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

final class WithBubblewrapTest extends LocalRuntimeContract {
    @BeforeAll
    static void needsBubblewrap() throws Exception {
        var probe = Bubblewrap.probe();
        Needed.program("bwrap", probe.usable() != null, probe.reason());
    }

    @Override
    String bubblewrap() {
        return "always";
    }

    @Test
    void the_rest_of_the_machine_is_read_only() throws Exception {
        var result =
                runtime.exec(ExecRequest.shell("for f in /etc/x /usr/x /x /polar/x; do touch $f && echo wrote $f; done;"
                        + " touch /tmp/private && echo ok"));

        assertThat(result.stdout()).isEqualTo("ok\n");
        assertThat(sessionDir().resolve("tmp/private")).exists();
    }

    @Test
    void a_setting_of_the_kernel_cannot_be_changed() throws Exception {
        // Writing back what is there changes nothing even where it succeeds.
        var result = runtime.exec(ExecRequest.shell(
                "f=/proc/sys/kernel/core_pattern; cat $f > /tmp/v; cat /tmp/v > $f && echo writable"));

        assertThat(result.stdout()).isEmpty();
        assertThat(result.exitCode()).isNotZero();
    }

    @Test
    void mounts_cannot_be_changed() throws Exception {
        var result = runtime.exec(ExecRequest.shell("mount -o remount,rw /usr || umount /usr || echo refused"));

        assertThat(result.stdout()).isEqualTo("refused\n");
    }

    @Test
    void other_processes_are_not_seen() throws Exception {
        var result = runtime.exec(ExecRequest.shell("ls -d /proc/[0-9]* | wc -l"));

        assertThat(Integer.parseInt(result.stdout().strip())).isLessThan(10);
    }

    @Test
    void the_nodes_folder_is_hidden_and_the_cache_is_shown_read_only() throws Exception {
        Files.writeString(node.resolve("cache/program"), "here");
        Files.writeString(node.resolve("secret"), "hidden");
        var other = provider.start(request(Map.of()));
        try {
            var result = other.exec(ExecRequest.shell(
                    "cat " + node + "/cache/program; cat " + node + "/secret; touch " + node + "/cache/x"));
            assertThat(result.stdout()).isEqualTo("here");
            assertThat(result.stderr()).contains("secret: No such file").contains("Read-only file system");
        } finally {
            other.stop();
        }
    }

    @Test
    void a_volume_is_shown_as_it_says() throws Exception {
        var data = Files.createDirectories(node.resolve("data"));
        Files.writeString(data.resolve("f"), "v");
        var kwargs = Map.<String, Object>of(
                "bubblewrap", "always", "volumes", List.of(data + ":/testbed", data + ":/frozen:ro"));
        var other = provider.start(request(Map.of(), kwargs, null, null));
        try {
            var result =
                    other.exec(ExecRequest.shell("cat /testbed/f /frozen/f; echo w > /testbed/g; touch /frozen/h"));
            assertThat(result.stdout()).isEqualTo("vv");
            assertThat(data.resolve("g")).hasContent("w\n");
            assertThat(data.resolve("h")).doesNotExist();
            other.download("/testbed/g", node.resolve("g"));
            assertThat(node.resolve("g")).hasContent("w\n");
            assertThatThrownBy(() -> other.upload(node.resolve("g"), "/frozen/g"))
                    .isInstanceOf(ExtensionException.class)
                    .hasMessageContaining("read-only");
        } finally {
            other.stop();
        }
    }
}
