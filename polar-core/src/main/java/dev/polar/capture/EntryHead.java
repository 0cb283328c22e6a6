package dev.polar.capture;

import com.fasterxml.jackson.databind.JsonNode;
import dev.polar.spi.ApiType;
import dev.polar.spi.ImagePlace;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The small fields of a completion's entry.
 *
 * @param modelRequested null where the agent's request has none
 * @param modelUsed null where the engine's answer has none
 * @param endedByTemplate by {@code stop} or {@code tool_calls}, and neither by a string nor by an id that the caller asked for
 * @param stoppedById the last sampled id is what stopped it
 */
record EntryHead(
        String id,
        long sequence,
        int choiceIndex,
        ApiType api,
        double timestamp,
        String modelRequested,
        String modelUsed,
        String finishReason,
        String untrainable,
        boolean endedByTemplate,
        boolean stoppedById,
        List<ImagePlace> images) {
    private static final Set<String> STOPPED = Set.of("stop", "tool_calls");

    static EntryHead of(CompletionEntry entry) {
        boolean stopped = entry.finishReason() != null && STOPPED.contains(entry.finishReason());
        var matched = entry.matchedStop();
        boolean byString = matched != null && matched.isTextual();
        boolean byCallersId = matched != null
                && matched.isIntegralNumber()
                && asked(entry.request().path("stop_token_ids"), matched.asInt());
        var ids = entry.sampledIds();
        boolean byLast = ids != null
                && ids.length > 0
                && (matched == null || !matched.isIntegralNumber() || matched.asInt() == ids[ids.length - 1]);
        return new EntryHead(
                entry.id(),
                entry.facts().sequence(),
                entry.choiceIndex(),
                entry.facts().api(),
                entry.timestamp(),
                model(entry.originalRequest()),
                model(entry.answer()),
                entry.finishReason(),
                Untrainable.of(entry).orElse(null),
                stopped && !byString && !byCallersId,
                stopped && !byString && byLast,
                List.copyOf(entry.images()));
    }

    private static String model(JsonNode body) {
        return body == null ? null : body.path("model").textValue();
    }

    private static boolean asked(JsonNode ids, int id) {
        for (var asked : ids) {
            if (asked.isIntegralNumber() && asked.asInt() == id) {
                return true;
            }
        }
        return false;
    }

    void write(EntryWriter out) {
        out.text(id).number(sequence).number(choiceIndex).number(api.ordinal()).real(timestamp);
        out.optional(modelRequested).optional(modelUsed);
        out.optional(finishReason).optional(untrainable).bool(endedByTemplate).bool(stoppedById);
        out.number(images.size());
        for (var image : images) {
            out.number(image.position()).text(image.digest()).optional(image.mediaType());
        }
    }

    static EntryHead read(EntryReader in) {
        var id = in.text();
        long sequence = in.number();
        int choice = in.integer();
        var api = ApiType.values()[in.integer()];
        double timestamp = in.real();
        var requested = in.optional();
        var used = in.optional();
        var finish = in.optional();
        var untrainable = in.optional();
        boolean byTemplate = in.bool();
        boolean byId = in.bool();
        int count = in.integer();
        var images = new ArrayList<ImagePlace>(count);
        for (int i = 0; i < count; i++) {
            images.add(new ImagePlace(in.integer(), in.text(), in.optional()));
        }
        return new EntryHead(
                id, sequence, choice, api, timestamp, requested, used, finish, untrainable, byTemplate, byId, images);
    }
}
