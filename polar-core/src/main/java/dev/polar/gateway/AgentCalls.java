package dev.polar.gateway;

import dev.polar.capture.RecordedCompletion;
import dev.polar.proxy.FailedCall;
import dev.polar.spi.CallFacts;
import dev.polar.spi.CallLabel;
import dev.polar.spi.CallSummary;
import dev.polar.spi.SessionRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * All calls of an ended agent, those without an answer among them: a harness's classifier is shown them together, and what they come to is what its agent's word is held against. For one session;
 * used by one thread.
 */
final class AgentCalls {
    private final List<FailedCall> failed;
    private final Function<List<CallFacts>, List<CallLabel>> classifier;
    private final Map<Long, CallLabel> failedLabels = new HashMap<>();

    /** @param classifier the harness's */
    AgentCalls(List<FailedCall> failed, Function<List<CallFacts>, List<CallLabel>> classifier) {
        this.failed = failed;
        this.classifier = classifier;
    }

    /** Labels the calls that are on record, in the order that they come in. */
    List<CallLabel> classify(List<CallFacts> recorded) {
        var all = new ArrayList<>(recorded);
        for (var call : failed) {
            // What broke off is on record, and one that the gateway could not read tells a classifier nothing.
            boolean known = call.unknown()
                    || recorded.stream()
                            .anyMatch(other -> other.sequence() == call.facts().sequence());
            if (!known) {
                all.add(call.facts());
            }
        }
        all.sort(Comparator.comparingLong(CallFacts::sequence));
        var labels = classifier.apply(all);
        if (labels.size() != all.size()) {
            throw new IllegalStateException(
                    "the classifier gave " + labels.size() + " labels for " + all.size() + " calls");
        }
        var ofRecorded = new ArrayList<CallLabel>(recorded.size());
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).completionId() == null) {
                failedLabels.put(all.get(i).sequence(), labels.get(i));
            } else {
                ofRecorded.add(labels.get(i));
            }
        }
        return ofRecorded;
    }

    /** What they come to. Call it when the record has been labelled. */
    CallSummary summary(SessionRecord record) {
        var faults = new HashMap<Long, CallSummary.Call>();
        failed.forEach(call -> faults.put(call.facts().sequence(), call.call()));
        long last = -1;
        CallSummary.Call call = null;
        long answered = 0;
        for (var completion : record.completions()) {
            boolean whole = !faults.containsKey(completion.sequence());
            answered += whole ? 1 : 0;
            if (completion.sequence() > last && "main".equals(completion.role())) {
                last = completion.sequence();
                call = whole
                        ? CallSummary.Call.answered(((RecordedCompletion) completion).finishReason())
                        : faults.get(completion.sequence());
            }
        }
        for (var lost : failed) {
            var label = failedLabels.getOrDefault(lost.facts().sequence(), CallLabel.MAIN);
            if (lost.facts().sequence() > last && "main".equals(label.role())) {
                last = lost.facts().sequence();
                call = lost.call();
            }
        }
        return new CallSummary(answered, failed.size(), call);
    }
}
