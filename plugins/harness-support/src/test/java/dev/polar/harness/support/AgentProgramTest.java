package dev.polar.harness.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.polar.plugin.testing.AgentFolder;
import dev.polar.spi.ExecRequest;
import dev.polar.spi.ExecResult;
import dev.polar.spi.ExtensionException;
import dev.polar.spi.HarnessContext;
import dev.polar.spi.InvalidValueException;
import dev.polar.spi.Runtime;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AgentProgramTest {
    @TempDir
    Path folder;

    @Test
    void the_program_that_the_task_installed_is_used_and_asked_for_its_version() throws Exception {
        var program = AgentFolder.script(folder.resolve("bin/agent"), "echo \"agent v9.8.7-beta.1 (build)\"");

        var found = AgentProgram.find(Contexts.context(folder, null, Install.NEVER), NpmInstallTest.PACKAGE, "no-npm");

        assertThat(found).isEqualTo(new AgentProgram(program.toString(), "9.8.7-beta.1"));
        assertThat(AgentProgram.warning(NpmInstallTest.PACKAGE, Contexts.settings(null), found.version()))
                .hasValueSatisfying(warning -> assertThat(warning).contains("version 9.8.7-beta.1, not 1.2.3"));
        assertThat(AgentProgram.warning(NpmInstallTest.PACKAGE, Contexts.settings("9.8.7-beta.1"), found.version()))
                .isEmpty();
    }

    @Test
    void install_never_says_what_can_be_done() {
        assertThatThrownBy(() -> AgentProgram.find(
                        Contexts.context(folder, null, Install.NEVER), NpmInstallTest.PACKAGE, "no-npm"))
                .isInstanceOf(ExtensionException.class)
                .hasMessageContaining("there is no agent on the runtime's path")
                .hasMessageContaining("install it in runtime.prepare, or set agent.settings.install to auto");
    }

    @Test
    void the_version_that_the_task_asks_for_is_installed_and_shared() throws Exception {
        var npm = AgentFolder.script(
                folder.resolve("npm"),
                "b=$3/node_modules/.bin; mkdir -p $b; printf '#!/bin/sh\\necho 4.5.6\\n' > $b/agent; chmod 755 $b/agent");

        var found = AgentProgram.find(
                Contexts.context(folder, "4.5.6", Install.AUTO), NpmInstallTest.PACKAGE, npm.toString());

        assertThat(found.version()).isEqualTo("4.5.6");
        assertThat(found.path())
                .startsWith(folder.resolve("cache/an_agent/4.5.6").toString());
    }

    /** This machine, but for the folders of the node: a double of a container. */
    private record WithoutTheNodesFiles(Runtime inner) implements Runtime {
        @Override
        public ExecResult exec(ExecRequest request) throws InterruptedException {
            return request.command().getFirst().equals("test")
                    ? new ExecResult(1, false, false, "", "", 0, 0)
                    : inner.exec(request);
        }

        @Override
        public void upload(Path source, String target) throws InterruptedException {
            inner.upload(source, target);
        }

        @Override
        public void download(String source, Path target) throws InterruptedException {
            inner.download(source, target);
        }

        @Override
        public String path(String sandboxPath) {
            return inner.path(sandboxPath);
        }

        @Override
        public void endProcesses() {
            inner.endProcesses();
        }

        @Override
        public void stop() {
            inner.stop();
        }
    }

    @Test
    void a_runtime_that_does_not_see_the_nodes_files_gets_the_program_uploaded() throws Exception {
        var npm = AgentFolder.script(
                folder.resolve("npm"),
                "b=$3/node_modules/.bin; mkdir -p $b; printf '#!/bin/sh\\necho 1.2.3\\n' > $b/agent; chmod 755 $b/agent");
        var context = Contexts.context(folder, null, Install.AUTO);
        var blind = new HarnessContext<>(
                context.session(),
                context.agent(),
                context.settings(),
                context.instruction(),
                new WithoutTheNodesFiles(context.runtime()),
                context.endpoint(),
                context.env(),
                context.cacheDir(),
                context.remaining());

        var found = AgentProgram.find(blind, NpmInstallTest.PACKAGE, npm.toString());

        assertThat(Path.of(found.path())).isExecutable().startsWith(folder.resolve("session/an_agent_program"));
    }

    @Test
    void a_runtime_without_the_node_js_that_the_program_needs_is_told_before_anything_is_installed() {
        var needy = new NpmPackage("an_agent", "@agents/agent", "agent", "1.2.3", "1.2.3", 999, null, false);

        assertThatThrownBy(() -> AgentProgram.find(Contexts.context(folder, null, Install.AUTO), needy, "no-npm"))
                .isInstanceOf(ExtensionException.class)
                .hasMessageContaining("agent needs Node.js 999 or later in the runtime, which has");
    }

    @Test
    void settings_refuse_ranges_and_tags() {
        assertThatThrownBy(() -> AgentSettings.version("latest; rm", NpmInstallTest.PACKAGE))
                .isInstanceOf(InvalidValueException.class)
                .hasMessage("version: 'latest; rm' is no version such as 1.2.3");
        assertThatThrownBy(() -> Install.of("maybe")).hasMessage("install: 'maybe' is none of auto, never");
        assertThat(Install.of("auto")).isEqualTo(Install.AUTO);
    }
}
