package dev.polar.cli;

import dev.polar.capture.RecordStore;
import dev.polar.capture.SessionRecorder;
import dev.polar.topology.GatewayConfig.Persistence;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A gateway node's data that a test left, and its records, read from a copy: what is kept stays as it is.
 *
 * @param name of the server, from where its data lies
 * @param sessions all that the node knew
 * @param files how many records it keeps
 */
record KeptNode(String name, List<KeptSession> sessions, int files, RecordStore records) implements AutoCloseable {
    /** A node's sessions lie no deeper below what a test keeps. */
    private static final int DEPTH = 7;

    /**
     * The nodes whose data lies below a folder; none where it is not there.
     *
     * @param copies where records are copied to
     */
    static List<KeptNode> below(Path folder, Path copies) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        var manifests = new ArrayList<Path>();
        var saved = new HashMap<String, Path>();
        try (var found = Files.walk(folder, DEPTH)) {
            for (var path : found.sorted().toList()) {
                var name = path.getFileName().toString();
                if (isManifest(path)) {
                    manifests.add(path);
                } else if (name.startsWith("ses_") && name.endsWith(".json")) {
                    saved.put(name.substring("ses_".length(), name.length() - ".json".length()), path);
                }
            }
        }
        var byNode = new TreeMap<Path, List<KeptSession>>();
        for (var manifest : manifests) {
            var session = KeptSession.of(manifest, saved);
            byNode.computeIfAbsent(session.node(), _ -> new ArrayList<>()).add(session);
        }
        var nodes = new ArrayList<KeptNode>();
        for (var entry : byNode.entrySet()) {
            nodes.add(open(folder, entry, copies));
        }
        return nodes;
    }

    private static boolean isManifest(Path path) {
        int names = path.getNameCount();
        return path.endsWith("session.json")
                && names > 4
                && path.getName(names - 3).toString().equals("sessions")
                && path.getName(names - 4).toString().startsWith("node-");
    }

    private static KeptNode open(Path folder, Map.Entry<Path, List<KeptSession>> node, Path copies) throws IOException {
        var name = folder.getParent()
                .relativize(node.getKey())
                .toString()
                .replace(".polar/", "")
                .replace('/', '-');
        var copy = Files.createDirectory(copies.resolve(name));
        int files = 0;
        try (var records = Files.newDirectoryStream(node.getKey().resolve("records"))) {
            for (var record : records) {
                Files.copy(record, copy.resolve(record.getFileName()));
                files++;
            }
        }
        return new KeptNode(name, node.getValue(), files, new RecordStore(copy, Persistence.DEFAULT));
    }

    boolean hasRecord(KeptSession session) {
        return records.find(session.id()).isPresent();
    }

    /** How many calls of a session were answered. */
    int completions(KeptSession session) {
        return records.find(session.id()).map(SessionRecorder::completionCount).orElse(0);
    }

    @Override
    public void close() {
        records.close();
    }
}
