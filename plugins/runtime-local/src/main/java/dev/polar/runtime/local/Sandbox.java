package dev.polar.runtime.local;

import dev.polar.spi.ExtensionException;
import dev.polar.spi.ExtensionException.Category;
import dev.polar.spi.Runtime;
import dev.polar.spi.RuntimeRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a runtime's processes see: their files and their environment. Either a view made by bubblewrap, or the node's own file system with {@code /polar/session} mapped where a path is known to
 * be one. Immutable.
 *
 * @param prefix the command line that a command is appended to
 * @param view the file system in it
 * @param env the environment of each process
 * @param sessionDir how {@code /polar/session} is spelled in it
 * @param workdir where commands run unless they say otherwise, spelled as in it
 */
record Sandbox(List<String> prefix, View view, Map<String, String> env, String sessionDir, String workdir) {
    /** {@code /polar/session} as a path or the beginning of one, inside a longer text such as a search path. */
    private static final Pattern SESSION_PATH =
            Pattern.compile("(?<![\\w./-])" + Pattern.quote(Runtime.SESSION_DIR) + "(?![\\w.-])");

    /**
     * One that bubblewrap makes.
     *
     * @param inherited the node's variables that its processes see
     */
    static Sandbox wrapped(
            Bubblewrap bubblewrap, RuntimeRequest request, LocalConfig config, Map<String, String> inherited)
            throws IOException {
        var session = request.sessionDir().toRealPath();
        var bound = new ArrayList<View.Mount>();
        bound.add(new View.Mount(Path.of("/tmp"), folder(session.resolve("tmp")), true));
        bound.add(new View.Mount(Path.of(Runtime.SESSION_DIR), session, true));
        if (request.cacheDir() != null && Files.isDirectory(request.cacheDir())) {
            var cache = request.cacheDir().toRealPath();
            bound.add(new View.Mount(cache, cache, false));
        }
        for (var volume : Volume.all(request.spec().kwargs())) {
            bound.add(new View.Mount(Path.of(volume.target()), volume.source().toRealPath(), volume.writable()));
        }
        var hidden = hidden(request, config);
        var mounts = new ArrayList<>(bound);
        hidden.forEach(folder -> mounts.add(new View.Mount(folder, null, false)));
        Bubblewrap.NOT_SHARED.stream()
                .filter(name -> !name.equals("tmp"))
                .forEach(name -> mounts.add(new View.Mount(Path.of("/" + name), null, false)));
        mounts.add(new View.Mount(Path.of("/"), Path.of("/"), false));
        var env = environment(inherited, Runtime.SESSION_DIR, "/tmp");
        env.putAll(request.env());
        var workdir = workdir(request, Runtime.SESSION_DIR);
        return new Sandbox(
                bubblewrap.options(hidden, bound), new View(mounts), Map.copyOf(env), Runtime.SESSION_DIR, workdir);
    }

    /** One without a view of its own. */
    static Sandbox mapped(RuntimeRequest request, Map<String, String> inherited) throws IOException {
        var session = request.sessionDir().toRealPath();
        for (var volume : Volume.all(request.spec().kwargs())) {
            if (!volume.target().equals(volume.source().toString())) {
                throw new ExtensionException(
                        Category.REQUEST,
                        "runtime.kwargs.volumes: '" + volume.source() + "' cannot be shown at '" + volume.target()
                                + "' without bubblewrap: install it, or use the same path on both sides");
            }
        }
        var mounts = new ArrayList<View.Mount>();
        mounts.add(new View.Mount(Path.of(Runtime.SESSION_DIR), session, true));
        mounts.add(new View.Mount(session, session, true));
        for (var volume : Volume.all(request.spec().kwargs())) {
            mounts.add(new View.Mount(volume.source(), volume.source(), volume.writable()));
        }
        mounts.add(new View.Mount(Path.of("/"), Path.of("/"), false));
        var here = session.toString();
        var env = environment(inherited, here, folder(session.resolve("tmp")).toString());
        request.env().forEach((name, value) -> env.put(name, map(value, here)));
        return new Sandbox(List.of(), new View(mounts), Map.copyOf(env), here, workdir(request, here));
    }

    /** How its processes must spell {@code path}. */
    String path(String path) {
        return path.equals(Runtime.SESSION_DIR) || path.startsWith(Runtime.SESSION_DIR + "/")
                ? sessionDir + path.substring(Runtime.SESSION_DIR.length())
                : path;
    }

    /** A variable's value with each session path in it as its processes must spell it. */
    String value(String text) {
        return map(text, sessionDir);
    }

    private static String map(String text, String sessionDir) {
        return SESSION_PATH.matcher(text).replaceAll(Matcher.quoteReplacement(sessionDir));
    }

    private static Map<String, String> environment(Map<String, String> inherited, String session, String tmp) {
        var env = new LinkedHashMap<>(inherited);
        env.putIfAbsent("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        env.put("HOME", session + "/home");
        env.put("TMPDIR", tmp);
        env.put("SHELL", "/bin/sh");
        var user = System.getProperty("user.name");
        env.put("USER", user);
        env.put("LOGNAME", user);
        return env;
    }

    private static String workdir(RuntimeRequest request, String session) throws IOException {
        folder(request.sessionDir().resolve("home"));
        var wanted = request.spec().workdir();
        if (wanted == null) {
            folder(request.sessionDir().resolve("workspace"));
            return session + "/workspace";
        }
        return wanted;
    }

    /** The node's own folder, which other sessions' files are in, and what the configuration names. */
    private static List<Path> hidden(RuntimeRequest request, LocalConfig config) throws IOException {
        var hidden = new ArrayList<Path>();
        var own = common(request.stateDir().toRealPath(), request.sessionDir().toRealPath());
        if (!Path.of(System.getProperty("user.home")).startsWith(own)) {
            hidden.add(own);
        }
        for (var name : config.hide()) {
            if (Files.isDirectory(Path.of(name))) {
                hidden.add(Path.of(name).toRealPath());
            }
        }
        hidden.removeIf(
                folder -> Bubblewrap.NOT_SHARED.contains(folder.getName(0).toString()));
        return hidden;
    }

    private static Path common(Path one, Path other) {
        var common = one;
        while (!other.startsWith(common)) {
            common = common.getParent();
        }
        return common;
    }

    private static Path folder(Path path) throws IOException {
        return Files.createDirectories(path);
    }
}
