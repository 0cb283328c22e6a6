package dev.polar.proxy;

import dev.polar.inference.EngineException;
import dev.polar.spi.ApiType;
import dev.polar.spi.CallFacts;
import dev.polar.spi.CallSummary;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * A call that got no answer, or a part of one and then an error.
 *
 * @param facts its own, with its sequence and without a completion id
 * @param call how it ended
 */
public record FailedCall(CallFacts facts, CallSummary.Call call) {
    private static final int SHOWN_CHARACTERS = 500;

    static FailedCall of(CallFacts facts, EngineException failure) {
        return switch (failure.kind()) {
            case ABORTED -> new FailedCall(facts, new CallSummary.Call(CallSummary.End.HUNG_UP, null, null, null));
            case OVERFLOW -> of(facts, CallSummary.End.OUT_OF_CONTEXT, failure.status(), failure.getMessage());
            case REFUSED -> {
                // Too many at once, or none at the moment: nothing is wrong with the request.
                boolean busy = failure.status() == 429 || failure.status() == 408;
                yield of(
                        facts,
                        busy ? CallSummary.End.ENGINE_FAULT : CallSummary.End.REFUSED,
                        failure.status(),
                        failure.getMessage());
            }
            case FAILED, UNREACHABLE, BROKEN, SILENT ->
                of(facts, CallSummary.End.ENGINE_FAULT, failure.status(), failure.getMessage());
        };
    }

    /** One that the gateway itself refused: what it asked is not known. */
    static FailedCall of(long sequence, ApiType api, Fault fault) {
        var facts = new CallFacts(null, sequence, api, Map.of(), "", "", List.of(), 0, OptionalInt.empty(), false);
        return of(facts, CallSummary.End.REFUSED, fault.status(), fault.message());
    }

    private static FailedCall of(CallFacts facts, CallSummary.End end, int status, String message) {
        var shown = message == null || message.length() <= SHOWN_CHARACTERS
                ? message
                : message.substring(0, SHOWN_CHARACTERS) + "…";
        return new FailedCall(facts, new CallSummary.Call(end, status, shown, null));
    }

    /** Whether the gateway's own refusal is all that is known of it. */
    public boolean unknown() {
        return facts.messages() == 0;
    }
}
