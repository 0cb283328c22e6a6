package dev.polar.capture;

import dev.polar.spi.CallLabel;
import dev.polar.spi.ImagePlace;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The {@code metadata} of a completion record: what the record itself knows, then what the proxy gave. */
final class CompletionMetadata {
    static final String TAILS = "tails";

    private CompletionMetadata() {}

    static Map<String, Object> of(SealedRecord record, RecordedCompletion completion) {
        var stored = completion.stored();
        return of(stored, completion.label(), record.body(stored));
    }

    static Map<String, Object> of(StoredCompletion stored, CallLabel label, EntryBody body) {
        var metadata = new LinkedHashMap<String, Object>();
        metadata.put("sequence", stored.sequence);
        metadata.put("api_type", stored.api.wire());
        metadata.put("delivered", stored.delivered);
        metadata.put("role", label.role());
        metadata.put("agent", label.agent());
        if (label.segmentKind() != null) {
            metadata.put("segment_kind", label.segmentKind());
        }
        if (stored.choiceIndex > 0) {
            metadata.put("choice_index", stored.choiceIndex);
        }
        metadata.put(
                "images", stored.images.stream().map(CompletionMetadata::image).toList());
        metadata.put("untrainable", stored.untrainable);
        body.metadataTree().forEach(metadata::putIfAbsent);
        return metadata;
    }

    private static Map<String, Object> image(ImagePlace image) {
        var place = new LinkedHashMap<String, Object>();
        place.put("position", image.position());
        place.put("digest", image.digest());
        place.put("media_type", image.mediaType());
        return place;
    }

    /** {@code tails} of a completion of a sealed record. */
    static List<Map<String, String>> tails(RecordedCompletion completion) {
        return completion.retokenizedOf().stream()
                .map(of -> {
                    var tail = new LinkedHashMap<String, String>();
                    tail.put("of", of);
                    tail.put("class", TailClass.RETOKENIZED.wire());
                    return (Map<String, String>) tail;
                })
                .toList();
    }
}
