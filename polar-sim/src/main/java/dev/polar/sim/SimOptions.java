package dev.polar.sim;

import java.time.Duration;

/**
 * How a simulator is set up; {@link #builder} starts from the defaults.
 *
 * @param host the address to listen on
 * @param port 0 for a free one
 * @param engine whose dialect it speaks
 * @param model the only model name that it serves
 * @param contextLength prompt and answer together, in tokens
 * @param seed of all draws of requests that bring no seed of their own
 * @param policy where the model would be
 * @param nonCanonical the probability, for each token that can be cut in two, that it is sampled in two pieces
 * @param perToken time per sampled token
 * @param perPromptToken time per prompt token, before the first sampled one
 * @param reasoning whether the reasoning parser is on: text in {@code <think>} tags leaves the content
 * @param toolParser whether the Hermes tool parser is on
 * @param controls whether vLLM's development endpoints (pause, resume, abort, weights) are there; SGLang's always are
 * @param apiKey what {@code Authorization: Bearer} must say; empty for no check
 * @param idInput what it does with ids instead of messages, until {@link SimServer#idInput} says otherwise
 * @param keptRequests how many of the last requests {@link SimServer#requests} returns, and of generations {@link SimServer#generations}
 */
public record SimOptions(
        String host,
        int port,
        SimEngine engine,
        String model,
        int contextLength,
        long seed,
        Policy policy,
        double nonCanonical,
        Duration perToken,
        Duration perPromptToken,
        boolean reasoning,
        boolean toolParser,
        boolean controls,
        String apiKey,
        IdInput idInput,
        int keptRequests) {

    public SimOptions {
        require(port >= 0 && port <= 65535, "port", port, "0 to 65535");
        require(!model.isBlank(), "model", model, "a name");
        require(contextLength >= 16, "contextLength", contextLength, "at least 16");
        require(nonCanonical >= 0 && nonCanonical <= 1, "nonCanonical", nonCanonical, "0 to 1");
        require(!perToken.isNegative(), "perToken", perToken, "0 or more");
        require(!perPromptToken.isNegative(), "perPromptToken", perPromptToken, "0 or more");
        require(keptRequests >= 0, "keptRequests", keptRequests, "0 or more");
    }

    /** vLLM's dialect on a free port of 127.0.0.1, model {@code sim}, 131072 tokens of context, plain text, canonical tokens, no latency, the tool parser on, the reasoning parser off and ids taken. */
    public static SimOptions defaults() {
        return builder().build();
    }

    /** A builder with the {@link #defaults}. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder that starts from these options. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.host = host;
        builder.port = port;
        builder.engine = engine;
        builder.model = model;
        builder.contextLength = contextLength;
        builder.seed = seed;
        builder.policy = policy;
        builder.nonCanonical = nonCanonical;
        builder.perToken = perToken;
        builder.perPromptToken = perPromptToken;
        builder.reasoning = reasoning;
        builder.toolParser = toolParser;
        builder.controls = controls;
        builder.apiKey = apiKey;
        builder.idInput = idInput;
        builder.keptRequests = keptRequests;
        return builder;
    }

    private static void require(boolean holds, String name, Object value, String wanted) {
        if (!holds) {
            throw new IllegalArgumentException(name + " is " + value + ", but must be " + wanted);
        }
    }

    /** Collects options; the setters are named and explained as the record's components. Not thread-safe. */
    public static final class Builder {
        private String host = "127.0.0.1";
        private int port;
        private SimEngine engine = SimEngine.VLLM;
        private String model = "sim";
        private int contextLength = 131072;
        private long seed;
        private Policy policy = Policy.plainText();
        private double nonCanonical;
        private Duration perToken = Duration.ZERO;
        private Duration perPromptToken = Duration.ZERO;
        private boolean reasoning;
        private boolean toolParser = true;
        private boolean controls = true;
        private String apiKey = "";
        private IdInput idInput = IdInput.TAKEN;
        private int keptRequests = 1000;

        private Builder() {}

        public Builder host(String value) {
            host = value;
            return this;
        }

        public Builder port(int value) {
            port = value;
            return this;
        }

        public Builder engine(SimEngine value) {
            engine = value;
            return this;
        }

        public Builder model(String value) {
            model = value;
            return this;
        }

        public Builder contextLength(int value) {
            contextLength = value;
            return this;
        }

        public Builder seed(long value) {
            seed = value;
            return this;
        }

        public Builder policy(Policy value) {
            policy = value;
            return this;
        }

        public Builder nonCanonical(double value) {
            nonCanonical = value;
            return this;
        }

        public Builder perToken(Duration value) {
            perToken = value;
            return this;
        }

        public Builder perPromptToken(Duration value) {
            perPromptToken = value;
            return this;
        }

        public Builder reasoning(boolean value) {
            reasoning = value;
            return this;
        }

        public Builder toolParser(boolean value) {
            toolParser = value;
            return this;
        }

        public Builder controls(boolean value) {
            controls = value;
            return this;
        }

        public Builder apiKey(String value) {
            apiKey = value;
            return this;
        }

        public Builder idInput(IdInput value) {
            idInput = value;
            return this;
        }

        public Builder keptRequests(int value) {
            keptRequests = value;
            return this;
        }

        /** Takes policy, seed and reasoning parser from a scenario. */
        public Builder scenario(Scenario value) {
            return policy(value).seed(value.seed()).reasoning(value.reasoningParser());
        }

        /**
         * The options.
         *
         * @throws IllegalArgumentException when one is out of its range; the message names it
         */
        public SimOptions build() {
            return new SimOptions(
                    host,
                    port,
                    engine,
                    model,
                    contextLength,
                    seed,
                    policy,
                    nonCanonical,
                    perToken,
                    perPromptToken,
                    reasoning,
                    toolParser,
                    controls,
                    apiKey,
                    idInput,
                    keptRequests);
        }
    }
}
