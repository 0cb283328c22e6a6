package dev.polar.harness.claude;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.ExtensionException.Category;
import dev.polar.spi.HarnessContext;
import dev.polar.spi.McpServer;
import dev.polar.spi.Runtime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The files of one session in its runtime, all below one folder. */
final class SessionFiles {
    static final String FOLDER = Runtime.SESSION_DIR + "/claude_code";
    static final String CONFIG = FOLDER + "/config";
    static final String LAUNCHER = FOLDER + "/launch";
    static final String MCP = FOLDER + "/mcp.json";

    private static final String PROMPT = FOLDER + "/prompt";
    private static final ObjectMapper JSON = new ObjectMapper();

    private SessionFiles() {}

    /**
     * Puts them there.
     *
     * @param program how the session's processes call Claude Code
     */
    static void write(HarnessContext<ClaudeCodeSettings> context, String program) throws InterruptedException {
        var runtime = context.runtime();
        try {
            var folder = Files.createTempDirectory("claude-code-session");
            try {
                Files.createDirectories(folder.resolve("config"));
                Files.writeString(folder.resolve("prompt"), prompt(context.instruction()));
                Files.writeString(folder.resolve("launch"), launcher(program, runtime.path(PROMPT)));
                if (!context.agent().mcpServers().isEmpty()) {
                    Files.write(
                            folder.resolve("mcp.json"),
                            JSON.writeValueAsBytes(servers(context.agent().mcpServers())));
                }
                runtime.upload(folder, FOLDER);
            } finally {
                NpmInstall.delete(folder);
            }
        } catch (IOException problem) {
            throw new ExtensionException(
                    Category.INFRASTRUCTURE, "claude_code: the session's files cannot be written: " + problem, problem);
        }
        uploadSkills(context);
    }

    /** As standard input, so that it may be of any length and begin with a dash; a first slash would be a command of the program's own. */
    private static String prompt(String instruction) {
        return instruction.startsWith("/") ? "\n" + instruction : instruction;
    }

    private static String launcher(String program, String prompt) {
        return "exec " + quoted(program) + " \"$@\" < " + quoted(prompt) + "\n";
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }

    private static Map<String, Object> servers(List<McpServer> servers) {
        var byName = new LinkedHashMap<String, Object>();
        for (var server : servers) {
            byName.put(
                    server.name(),
                    switch (server.transport()) {
                        case STDIO -> Map.of("type", "stdio", "command", server.command(), "args", server.args());
                        case SSE -> Map.of("type", "sse", "url", server.url());
                        case STREAMABLE_HTTP -> Map.of("type", "http", "url", server.url());
                    });
        }
        return Map.of("mcpServers", byName);
    }

    /** A folder of skills, or of one. */
    private static void uploadSkills(HarnessContext<ClaudeCodeSettings> context) throws InterruptedException {
        var path = context.agent().skillsPath();
        if (path == null) {
            return;
        }
        var skills = Path.of(path);
        if (!Files.isDirectory(skills)) {
            throw new ExtensionException(
                    Category.REQUEST, "agent.skills_path: '" + path + "' is no folder on this node");
        }
        boolean one = Files.exists(skills.resolve("SKILL.md"));
        var target = CONFIG + "/skills" + (one ? "/" + skills.getFileName() : "");
        context.runtime().upload(skills, target);
    }
}
