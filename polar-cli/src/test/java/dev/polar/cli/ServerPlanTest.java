package dev.polar.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerPlanTest {
    @TempDir
    Path folder;

    private ServerPlan plan(String topology, boolean rollout, boolean gateway, String nodeId) throws IOException {
        var file = Files.writeString(folder.resolve("topology.yaml"), topology);
        return ServerPlan.of(file, new Distribution(folder), rollout, gateway, nodeId, new Configuration(), _ -> {});
    }

    @Test
    void port_0_becomes_a_free_one_that_server_and_public_url_agree_on() throws IOException {
        var plan = plan("""
                rollout: {port: 0}
                gateway: {nodes: [{id: gpu-1, port: 0, agent_listen: "127.0.0.1:0"}]}
                """, true, true, null);

        var port = plan.topology().rollout().port();
        assertThat(port).isPositive();
        assertThat(plan.topology().rollout().publicUrl()).isEqualTo("http://127.0.0.1:" + port);
        assertThat(plan.topology().gateway().rolloutServerUrl()).isEqualTo("http://127.0.0.1:" + port);
        assertThat(plan.environment())
                .containsEntry("POLAR_ROLLOUT_PORT", "" + port)
                .containsEntry("POLAR_LISTEN_ROLLOUT_PORT", "" + port)
                .containsEntry(
                        "POLAR_GATEWAY_NODES_GPU_1_PORT", "" + plan.node().port())
                .containsEntry(
                        "POLAR_GATEWAY_NODES_GPU_1_AGENT_LISTEN", plan.node().agentListen())
                .containsEntry("POLAR_ROLE", "all")
                .containsEntry("POLAR_GATEWAY_NODE_ID", "gpu-1");
        assertThat(plan.node().agentListen()).doesNotEndWith(":0");
        assertThat(plan.topology().plugins().dirs()).containsExactly(folder.resolve("plugins"));
    }

    @Test
    void one_role_alone_listens_for_itself_alone() throws IOException {
        var topology =
                "rollout: {port: 0}\ngateway: {rollout_server_url: 'http://head:8080', nodes: [{id: a, port: 0}]}";
        assertThat(plan(topology, true, false, null).environment())
                .containsEntry("POLAR_ROLE", "rollout")
                .containsEntry("POLAR_LISTEN_GATEWAY_ENABLED", "false");
        assertThat(plan(topology, false, true, "a").environment())
                .containsEntry("POLAR_ROLE", "gateway")
                .containsEntry("POLAR_LISTEN_ROLLOUT_ENABLED", "false");
        assertThat(plan(topology, false, true, "a").rolloutUrl()).isEqualTo("http://head:8080");
    }

    @Test
    void several_nodes_need_a_choice_among_them() {
        var topology = "rollout: {port: 0}\ngateway: {nodes: [{id: a, port: 0}, {id: b, port: 0}]}";
        assertThatThrownBy(() -> plan(topology, true, true, null))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("2 nodes (a, b)")
                .hasMessageContaining("--node-id");
        assertThatThrownBy(() -> plan(topology, true, true, "c"))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("no node 'c' (known: a, b)");
    }

    @Test
    void a_gateway_alone_must_know_where_the_rollout_server_is() {
        assertThatThrownBy(() -> plan("rollout: {port: 0}\ngateway: {nodes: [{id: a, port: 0}]}", false, true, "a"))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("gateway.rollout_server_url");
    }

    @Test
    void a_taken_port_is_named() throws IOException {
        try (var taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            var port = taken.getLocalPort();
            assertThatThrownBy(() -> plan(
                            "rollout: {port: " + port + "}\ngateway: {nodes: [{id: a, port: 0}]}", true, true, null))
                    .isInstanceOf(UserException.class)
                    .hasMessageContaining("rollout.port: 127.0.0.1:" + port + " cannot be listened at")
                    .hasMessageContaining("0 takes a free one");
        }
    }
}
