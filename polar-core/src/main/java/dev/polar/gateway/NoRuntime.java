package dev.polar.gateway;

import dev.polar.spi.ExecRequest;
import dev.polar.spi.ExecResult;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.ExtensionException.Category;
import dev.polar.spi.Runtime;
import java.nio.file.Path;

/** What an evaluator of a bare session gets: its agent runs elsewhere. Every use says so. */
final class NoRuntime implements Runtime {
    @Override
    public ExecResult exec(ExecRequest request) {
        throw none();
    }

    @Override
    public void upload(Path source, String target) {
        throw none();
    }

    @Override
    public void download(String source, Path target) {
        throw none();
    }

    @Override
    public String path(String sandboxPath) {
        throw none();
    }

    @Override
    public void endProcesses() {
        // there are none
    }

    @Override
    public void stop() {
        // there is nothing to stop
    }

    private static ExtensionException none() {
        return new ExtensionException(
                Category.REQUEST,
                "a bare session has no runtime: choose an evaluator that needs none, for example session_completed");
    }
}
