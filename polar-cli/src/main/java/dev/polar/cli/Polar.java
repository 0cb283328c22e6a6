package dev.polar.cli;

import dev.polar.export.ExportFormat;
import dev.polar.export.FileType;
import dev.polar.export.ImageForm;
import dev.polar.result.ResultException;
import dev.polar.sim.IdInput;
import dev.polar.sim.SimEngine;
import dev.polar.topology.TopologyException;
import java.util.Arrays;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The {@code polar} command. Exit status 0: done; 1: done, but something failed; 2: bad input, one line on standard error says what to do. */
@Command(
        name = "polar",
        description = "Turns any agent program into a reinforcement-learning environment.",
        mixinStandardHelpOptions = true,
        versionProvider = Polar.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            DemoCommand.class,
            ServeCommand.class,
            ServeRolloutCommand.class,
            ServeGatewayCommand.class,
            SimCommand.class,
            SubmitCommand.class,
            StatusCommand.class,
            CancelCommand.class,
            ExportCommand.class,
            TraceCommand.class,
            PluginsCommand.class,
            DoctorCommand.class,
            HarnessCommand.class
        })
public final class Polar {
    private Polar() {}

    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    /** Runs a command and gives its exit status. */
    static int run(String... arguments) {
        // Without a sub-command its usage is shown, as with --help.
        var verbose = Arrays.asList(arguments).contains("--verbose");
        return new CommandLine(new Polar())
                .registerConverter(ExportFormat.class, new Words<>(ExportFormat.class))
                .registerConverter(FileType.class, new Words<>(FileType.class))
                .registerConverter(ImageForm.class, new Words<>(ImageForm.class))
                .registerConverter(SimEngine.class, new Words<>(SimEngine.class))
                .registerConverter(IdInput.class, new Words<>(IdInput.class))
                .setExecutionExceptionHandler((problem, command, _) -> report(problem, command, verbose))
                .setParameterExceptionHandler((problem, _) -> {
                    var command = problem.getCommandLine();
                    command.getErr()
                            .println("polar: " + firstLine(problem.getMessage()) + suggestion(problem) + " (see "
                                    + command.getCommandSpec().qualifiedName() + " --help)");
                    return UserException.BAD_INPUT;
                })
                .execute(arguments.length == 0 ? new String[] {"--help"} : arguments);
    }

    private static int report(Exception problem, CommandLine command, boolean verbose) {
        var users = problem instanceof UserException
                || problem instanceof TopologyException
                || problem instanceof ResultException;
        if (problem instanceof InterruptedException) {
            command.getErr().println("polar: interrupted");
        } else if (users) {
            command.getErr().println("polar: " + firstLine(problem.getMessage()));
        } else {
            command.getErr().println("polar: " + firstLine(problem.toString()) + " (--verbose shows more)");
        }
        if (verbose) {
            problem.printStackTrace(command.getErr());
        }
        return users ? UserException.BAD_INPUT : 1;
    }

    private static String suggestion(ParameterException problem) {
        return problem instanceof UnmatchedArgumentException unmatched
                        && !unmatched.getSuggestions().isEmpty()
                ? "; did you mean '" + unmatched.getSuggestions().getFirst() + "'?"
                : "";
    }

    private static String firstLine(String message) {
        return message == null ? "" : message.lines().findFirst().orElse("");
    }

    /** Says the version. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"polar " + Distribution.version()};
        }
    }
}
