package dev.polar.rollout;

import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.flywaydb.core.api.ResourceProvider;
import org.flywaydb.core.api.resource.LoadableResource;

/** The migrations by name: a class path inside a server's archive cannot be searched. */
final class SchemaFiles implements ResourceProvider {
    private static final List<String> NAMES = List.of("V1__tasks_sessions_nodes_outbox.sql");

    @Override
    public LoadableResource getResource(String name) {
        return NAMES.contains(name) ? new SchemaFile(name) : null;
    }

    @Override
    public Collection<LoadableResource> getResources(String prefix, String[] suffixes) {
        return NAMES.stream()
                .filter(name -> name.startsWith(prefix) && Stream.of(suffixes).anyMatch(name::endsWith))
                .<LoadableResource>map(SchemaFile::new)
                .toList();
    }

    private static final class SchemaFile extends LoadableResource {
        private final String name;

        SchemaFile(String name) {
            this.name = name;
        }

        @Override
        public Reader read() {
            return new InputStreamReader(
                    SchemaFiles.class.getResourceAsStream("schema/" + name), StandardCharsets.UTF_8);
        }

        @Override
        public String getAbsolutePath() {
            return name;
        }

        @Override
        public String getAbsolutePathOnDisk() {
            return name;
        }

        @Override
        public String getFilename() {
            return name;
        }

        @Override
        public String getRelativePath() {
            return name;
        }
    }
}
