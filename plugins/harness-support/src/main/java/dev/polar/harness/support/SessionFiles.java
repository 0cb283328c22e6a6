package dev.polar.harness.support;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.polar.spi.ExecRequest;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.ExtensionException.Category;
import dev.polar.spi.HarnessContext;
import dev.polar.spi.Runtime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The files that one session's agent is given, in the session's own folder and home. Write them one by one, then {@link #upload}. For one session; not thread-safe.
 *
 * <p>The agent is started by a launcher that gives it its prompt on standard input, so that one of any length and beginning reaches it.
 */
public final class SessionFiles {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String LAUNCHER = "launch";
    private static final String PROMPT = "prompt";
    private static final String PROGRAM = "program.json";

    private final HarnessContext<?> context;
    private final String harness;
    private final Map<String, byte[]> files = new LinkedHashMap<>();
    private final Map<String, byte[]> homeFiles = new LinkedHashMap<>();

    /** @param harness the harness's name: its folder is called so */
    public SessionFiles(HarnessContext<?> context, String harness) {
        this.context = context;
        this.harness = harness;
    }

    /** The agent's folder, as a task would spell it: for {@link Runtime#upload} and its like. */
    public String folder() {
        return Runtime.SESSION_DIR + "/" + harness;
    }

    /** How the session's processes spell a file of {@link #folder}. */
    public String path(String name) {
        return context.runtime().path(folder() + "/" + name);
    }

    /** The session's home, as its processes spell it. It is no other session's. */
    public String home() throws InterruptedException {
        var told =
                context.runtime().exec(ExecRequest.shell("printf %s \"$HOME\"").withEnv(context.env()));
        if (!told.succeeded() || !told.stdout().startsWith("/")) {
            throw new ExtensionException(
                    Category.INFRASTRUCTURE,
                    harness + ": the runtime's HOME is '" + told.stdout() + "', which is no absolute path");
        }
        return told.stdout();
    }

    /** A file of {@link #folder}; folders in its name are made. */
    public SessionFiles text(String name, String text) {
        files.put(name, utf8(text));
        return this;
    }

    /** The same, of JSON. */
    public SessionFiles json(String name, Object value) {
        files.put(name, bytes(value));
        return this;
    }

    /** A file of {@link #home}. */
    public SessionFiles homeText(String name, String text) {
        homeFiles.put(name, utf8(text));
        return this;
    }

    /** The same, of JSON. */
    public SessionFiles homeJson(String name, Object value) {
        homeFiles.put(name, bytes(value));
        return this;
    }

    /** The program, and the prompt that it gets on standard input. */
    public SessionFiles launcher(AgentProgram program, String prompt) {
        text(PROMPT, prompt);
        text(LAUNCHER, "exec " + Shell.quoted(program.path()) + " \"$@\" < " + Shell.quoted(path(PROMPT)) + "\n");
        var told = new LinkedHashMap<String, Object>();
        told.put("path", program.path());
        told.put("version", program.version());
        return json(PROGRAM, told);
    }

    /** An instruction for an agent to which a first slash would be a command of its own: it is kept, behind a line end. */
    public static String withoutCommand(String instruction) {
        return instruction.startsWith("/") ? "\n" + instruction : instruction;
    }

    /** The command that runs the launcher. */
    public ExecRequest command(List<String> arguments) {
        var line = new ArrayList<>(List.of("/bin/sh", path(LAUNCHER)));
        line.addAll(arguments);
        return ExecRequest.of(line.toArray(String[]::new));
    }

    /** The program that {@link #launcher} was given, also after the run; without a version where the file is gone. */
    public AgentProgram program() throws InterruptedException {
        var kept = context.runtime().exec(ExecRequest.of("cat", path(PROGRAM)));
        try {
            var told = JSON.readTree(kept.stdout());
            return new AgentProgram(
                    told.path("path").asText(""), told.path("version").textValue());
        } catch (JacksonException gone) {
            return new AgentProgram("", null);
        }
    }

    /** Puts all that was written into the runtime. */
    public void upload() throws InterruptedException {
        upload(files, folder());
        if (!homeFiles.isEmpty()) {
            upload(homeFiles, home());
        }
    }

    private void upload(Map<String, byte[]> written, String target) throws InterruptedException {
        try {
            var folder = Files.createTempDirectory("polar-session-files");
            try {
                for (var file : written.entrySet()) {
                    var path = folder.resolve(file.getKey());
                    Files.createDirectories(path.getParent());
                    Files.write(path, file.getValue());
                }
                context.runtime().upload(folder, target);
            } finally {
                Trees.delete(folder);
            }
        } catch (IOException problem) {
            throw new ExtensionException(
                    Category.INFRASTRUCTURE, harness + ": the session's files cannot be written: " + problem, problem);
        }
    }

    /**
     * Uploads {@code agent.skills_path}, where the task has one: a folder of skills, or of one.
     *
     * @param target the agent's folder of skills: absolute, or relative to {@link #folder}
     * @throws ExtensionException where it is no folder on this node
     */
    public void uploadSkills(String target) throws InterruptedException {
        var skillsPath = context.agent().skillsPath();
        if (skillsPath == null) {
            return;
        }
        var skills = Path.of(skillsPath).toAbsolutePath().normalize();
        if (!Files.isDirectory(skills)) {
            throw new ExtensionException(
                    Category.REQUEST, "agent.skills_path: '" + skillsPath + "' is no folder on this node");
        }
        var to = target.startsWith("/") ? target : folder() + "/" + target;
        boolean one = Files.exists(skills.resolve("SKILL.md"));
        context.runtime().upload(skills, one ? to + "/" + skills.getFileName() : to);
    }

    /**
     * Copies a file or folder that the agent left to the session's artifacts, under the harness's name; nothing where there is none.
     *
     * @param source as the session's processes spell it
     */
    public void keep(String source) throws InterruptedException {
        context.runtime()
                .exec(ExecRequest.of(
                                "/bin/sh",
                                "-c",
                                "[ -e \"$1\" ] && mkdir -p \"$2\" && cp -R \"$1\" \"$2/\"",
                                "sh",
                                source,
                                context.runtime().path(Runtime.SESSION_DIR + "/artifacts/" + harness))
                        .withEnv(context.env()));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    }

    private static byte[] bytes(Object value) {
        try {
            return JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(value);
        } catch (JacksonException impossible) {
            throw new IllegalArgumentException("maps, lists and scalars are needed", impossible);
        }
    }
}
