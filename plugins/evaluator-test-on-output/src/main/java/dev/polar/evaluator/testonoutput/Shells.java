package dev.polar.evaluator.testonoutput;

/** Which shell runs a task's own commands: they are commonly written for bash. */
final class Shells {
    /** Sets {@code shell}. */
    static final String BEST = "shell=$(command -v bash || echo /bin/sh)\n";

    private Shells() {}
}
