package dev.polar.proxy;

/** A tool as the agent knows it; the model knows each as a function. */
sealed interface AgentTool {
    String name();

    /** Null where the tool stands in none. */
    String namespace();

    /** Takes JSON arguments. */
    record Function(String namespace, String name) implements AgentTool {}

    /** Takes free text. */
    record Custom(String namespace, String name) implements AgentTool {}

    /** The vendor's own form of a command for the agent's machine. */
    record LocalShell() implements AgentTool {
        static final String NAME = "local_shell";

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public String namespace() {
            return null;
        }
    }
}
