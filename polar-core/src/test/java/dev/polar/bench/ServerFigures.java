package dev.polar.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What a running JVM holds.
 *
 * @param heapMiB used after a full collection
 * @param rssMiB resident memory of the process
 * @param platform Java threads of the operating system
 * @param pool those of the container's pool, working or idle
 * @param busy those of the pool with Polar's code on their stacks
 * @param virtual virtual threads
 */
record ServerFigures(long heapMiB, long rssMiB, long platform, long pool, long busy, long virtual) {
    private static final Pattern USED = Pattern.compile("heap .*?used (\\d+)K");
    private static final Pattern RSS = Pattern.compile("VmRSS:\\s+(\\d+) kB");
    private static final String POOL = "\"Default Executor-thread-";

    static ServerFigures of(long pid) throws IOException, InterruptedException {
        jcmd(pid, "GC.run");
        long heap = number(USED, jcmd(pid, "GC.heap_info"));
        long rss = number(RSS, Files.readString(Path.of("/proc/" + pid + "/status")));
        var stacks =
                Pattern.compile("\n\n").splitAsStream(jcmd(pid, "Thread.print")).map(String::strip);
        // threads of the virtual machine itself have no number
        var threads =
                stacks.filter(one -> one.matches("(?s)\"[^\n]*\" #\\d+ .*")).toList();
        var pool = threads.stream().filter(one -> one.startsWith(POOL)).toList();
        long busy = pool.stream().filter(one -> one.contains("at dev.polar.")).count();
        return new ServerFigures(heap / 1_024, rss / 1_024, threads.size(), pool.size(), busy, virtual(pid));
    }

    private static long virtual(long pid) throws IOException, InterruptedException {
        var folder = Files.createTempDirectory("polar-bench-threads");
        var file = folder.resolve("threads.json");
        jcmd(pid, "Thread.dump_to_file", "-format=json", file.toString());
        try (var lines = Files.lines(file)) {
            return lines.filter(line -> line.contains("\"virtual\": true")).count();
        } finally {
            Files.deleteIfExists(file);
            Files.delete(folder);
        }
    }

    private static long number(Pattern pattern, String text) {
        var matcher = pattern.matcher(text);
        if (!matcher.find()) {
            throw new IllegalStateException("no " + pattern + " in: " + text);
        }
        return Long.parseLong(matcher.group(1));
    }

    private static String jcmd(long pid, String... command) throws IOException, InterruptedException {
        var line = new ArrayList<String>();
        line.add(Path.of(System.getProperty("java.home"), "bin/jcmd").toString());
        line.add(Long.toString(pid));
        line.addAll(List.of(command));
        var process = new ProcessBuilder(line).redirectErrorStream(true).start();
        var said = new String(process.getInputStream().readAllBytes());
        if (process.waitFor() != 0) {
            throw new IOException(line + ": " + said);
        }
        return said;
    }
}
