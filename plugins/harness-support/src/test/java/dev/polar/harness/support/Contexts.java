package dev.polar.harness.support;

import dev.polar.plugin.testing.AgentFolder;
import dev.polar.spi.HarnessContext;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Sessions of an agent that is a script. */
final class Contexts {
    record Settings(String version, Install install, Long samplingSeed, Map<String, Object> modelKwargs)
            implements AgentSettings {}

    private Contexts() {}

    static Settings settings(String version) {
        return new Settings(version, Install.AUTO, null, Map.of());
    }

    static HarnessContext<Settings> context(Path folder, String version, Install install) throws IOException {
        return context(folder, new Settings(version, install, null, Map.of()), null);
    }

    static HarnessContext<Settings> context(Path folder, Settings settings, Path skills) throws IOException {
        return new AgentFolder(folder, "an_agent")
                .context(settings, "an instruction", List.of(), skills == null ? null : skills.toString());
    }
}
