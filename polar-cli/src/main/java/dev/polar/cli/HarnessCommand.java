package dev.polar.cli;

import picocli.CommandLine.Command;

/** {@code polar harness}. */
@Command(
        name = "harness",
        description = "Look at how agents are run.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = HarnessCheckCommand.class)
final class HarnessCommand {}
