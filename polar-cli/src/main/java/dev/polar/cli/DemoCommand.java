package dev.polar.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code polar demo}. */
@Command(name = "demo", description = "See it all work, with a simulated model.", mixinStandardHelpOptions = true)
final class DemoCommand implements Callable<Integer> {
    @Mixin
    private Output output;

    @Override
    public Integer call() {
        throw new UserException("demo: " + Path.of(""));
    }
}
