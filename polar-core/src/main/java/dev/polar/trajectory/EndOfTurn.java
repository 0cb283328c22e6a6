package dev.polar.trajectory;

import dev.polar.spi.BuilderSpec;
import dev.polar.spi.InvalidValueException;
import java.util.OptionalInt;

/** Where the end-of-turn id comes from, unless the record has to learn it. */
public final class EndOfTurn {
    /** The builders' key. */
    static final String KEY = "end_of_turn_token_id";

    private EndOfTurn() {}

    /**
     * The builder's own, else the node's, else the engine's; empty where the record learns it. To be handed to the record when it is sealed.
     *
     * @throws InvalidValueException where the builder's is no id
     */
    public static OptionalInt of(BuilderSpec builder, OptionalInt node, OptionalInt engine) {
        var configured = builder.config().get(KEY);
        if (configured == null) {
            return node.isPresent() ? node : engine;
        }
        if (configured instanceof Integer id && id >= 0) {
            return OptionalInt.of(id);
        }
        throw new InvalidValueException("builder.config." + KEY, configured + " must be a token id, 0 or greater");
    }
}
