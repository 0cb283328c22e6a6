package dev.polar.harness.support;

import dev.polar.spi.ExecRequest;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.ExtensionException.Category;
import dev.polar.spi.HarnessContext;
import dev.polar.spi.Runtime;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * An agent's program in a session's runtime.
 *
 * @param path how the session's processes call it: absolute, as they spell it
 * @param version null where it does not tell
 */
public record AgentProgram(String path, String version) {
    private static final Pattern VERSION = Pattern.compile("\\d+\\.\\d+\\.\\d+[0-9A-Za-z.+-]*");
    private static final Pattern NODE = Pattern.compile("v(\\d+)\\.");
    private static final Duration TELL = Duration.ofSeconds(60);

    /**
     * The program that a task installed itself, found on the runtime's path; else the one of the node's cache, installed where it is missing, and uploaded where the runtime does not see the
     * node's files.
     *
     * @param npm the program that installs, by name or path
     * @throws ExtensionException where there is none and none may or can be installed
     */
    public static <S extends Record & AgentSettings> AgentProgram find(
            HarnessContext<S> context, NpmPackage npmPackage, String npm) throws InterruptedException {
        var runtime = context.runtime();
        var onPath = runtime.exec(ExecRequest.shell("command -v " + Shell.quoted(npmPackage.program()))
                .withEnv(context.env()));
        if (onPath.succeeded() && onPath.stdout().startsWith("/")) {
            var path = onPath.stdout().strip();
            return new AgentProgram(path, version(context, path));
        }
        if (context.settings().install() == Install.NEVER) {
            throw new ExtensionException(
                    Category.REQUEST,
                    npmPackage.harness() + ": there is no " + npmPackage.program()
                            + " on the runtime's path, and agent.settings.install is never:"
                            + " install it in runtime.prepare, or set agent.settings.install to auto");
        }
        needsNode(context, npmPackage);
        var wanted = context.settings().wantedVersion(npmPackage);
        var install = new NpmInstall(npmPackage, context.cacheDir().resolve(npmPackage.harness()), npm);
        var home = install.version(wanted, context.remaining());
        var program = install.program(home);
        if (runtime.exec(ExecRequest.of("test", "-x", program.toString())).succeeded()) {
            return new AgentProgram(program.toString(), wanted);
        }
        var uploaded = Runtime.SESSION_DIR + "/" + npmPackage.harness() + "_program";
        runtime.upload(home, uploaded);
        return new AgentProgram(runtime.path(uploaded) + "/" + home.relativize(program), wanted);
    }

    /** What it says when asked for its version. */
    private static String version(HarnessContext<?> context, String path) throws InterruptedException {
        var told = context.runtime()
                .exec(ExecRequest.of(path, "--version").withEnv(context.env()).withTimeout(TELL));
        var version = VERSION.matcher(told.stdout());
        return told.succeeded() && version.find() ? version.group() : null;
    }

    private static void needsNode(HarnessContext<?> context, NpmPackage npmPackage) throws InterruptedException {
        if (npmPackage.nodeMajor() == 0) {
            return;
        }
        var told = context.runtime()
                .exec(ExecRequest.shell("node --version").withEnv(context.env()).withTimeout(TELL));
        var version = NODE.matcher(told.stdout());
        int major = told.succeeded() && version.find() ? Integer.parseInt(version.group(1)) : 0;
        if (major < npmPackage.nodeMajor()) {
            throw new ExtensionException(
                    Category.REQUEST,
                    npmPackage.harness() + ": " + npmPackage.program() + " needs Node.js " + npmPackage.nodeMajor()
                            + " or later in the runtime, which has "
                            + (major == 0 ? "none" : told.stdout().strip())
                            + ": install it in runtime.prepare, or use an image that has it");
        }
    }

    /** Said where the program is of another version than the task, or this harness, wants. */
    public static Optional<String> warning(NpmPackage npmPackage, AgentSettings settings, String version) {
        var wanted = settings.wantedVersion(npmPackage);
        return version == null || version.equals(wanted)
                ? Optional.empty()
                : Optional.of("the runtime's " + npmPackage.program() + " is version " + version + ", not " + wanted
                        + " (seen to work: " + npmPackage.seen() + ")");
    }
}
