package dev.polar.gateway;

import dev.polar.server.Role;
import dev.polar.server.Waiting;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.MediaType;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a node says of itself. */
@Path(Role.GATEWAY_BASE)
@RequestScoped
public class NodeResource {
    private final GatewayService gateway;

    /** For the container's proxy. */
    protected NodeResource() {
        this(null);
    }

    @Inject
    public NodeResource(GatewayService gateway) {
        this.gateway = gateway;
    }

    @GET
    @Produces(MediaType.APPLICATION_JSON)
    public Map<String, Object> root() {
        return Map.of("status", "ok", "service", "polar-gateway");
    }

    /** Asks the inference server too, so it can wait. */
    @GET
    @Path("/health")
    @Produces(MediaType.APPLICATION_JSON)
    public void health(@Suspended AsyncResponse answer) {
        Waiting.answer(answer, this::describe);
    }

    private Map<String, Object> describe() {
        var node = gateway.node();
        var config = gateway.config();
        var metrics = node.metrics();
        var active = node.active();
        var health = new LinkedHashMap<String, Object>();
        health.put("status", "ok");
        health.put("node_id", config.id());
        health.put("gateway_url", config.publicUrl());
        health.put("inference", inference());
        health.put("metrics", metrics);
        health.put("completion_persistence", gateway.persistence());
        health.put("active_status_counts", active);
        health.put(
                "active_sessions",
                active.values().stream().mapToInt(Integer::intValue).sum());
        health.put("available_init", config.maxInitWorkers() - metrics.initInflight());
        health.put("available_run", config.maxRunWorkers() - metrics.runInflight());
        health.put("available_postrun", config.maxPostrunWorkers() - metrics.postrunInflight());
        health.put("pending_results", node.unsent());
        health.put("prefix_stability", node.chainBreaks());
        health.put("continuation", node.continuation());
        health.put("plugins", node.plugins().plugins());
        return health;
    }

    private Map<String, Object> inference() {
        var status = gateway.control().status();
        var problem = gateway.engineProblem();
        var inference = new LinkedHashMap<String, Object>();
        inference.put("status", problem == null ? "ok" : "error");
        if (problem != null) {
            inference.put("error", problem);
        }
        inference.put("engine", status.engine());
        inference.put("base_url", status.baseUrl());
        inference.put(
                "replicas",
                gateway.control().replicas().stream()
                        .map(replica -> Map.of("url", replica.url(), "status", replica.up() ? "ok" : "left_out"))
                        .toList());
        inference.put("paused", status.paused());
        inference.put("inflight", status.inflight());
        return inference;
    }
}
