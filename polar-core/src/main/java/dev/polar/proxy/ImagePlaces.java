package dev.polar.proxy;

import dev.polar.capture.Picture;
import dev.polar.spi.ImagePlace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds where the pictures of a request stand in its prompt ids. A picture is a run of one placeholder id; the engines do not say which id that is, so it is the one that has as many runs as
 * there are pictures. Where none has, each picture is placed at the prompt's start: then no prompt with other pictures is ever taken for a part of this one.
 */
final class ImagePlaces {
    private static final int SHORTEST_RUN = 2;

    private ImagePlaces() {}

    /**
     * In order; empty where there are none, or no ids.
     *
     * @param pictures of the request's messages, in their order
     */
    static List<ImagePlace> find(List<Picture> pictures, int[] promptIds) {
        if (pictures.isEmpty() || promptIds == null || promptIds.length == 0) {
            return List.of();
        }
        var starts = placeholders(promptIds, pictures.size());
        var places = new ArrayList<ImagePlace>();
        for (int i = 0; i < pictures.size(); i++) {
            places.add(new ImagePlace(
                    starts.isEmpty() ? 0 : starts.get(i),
                    pictures.get(i).digest(),
                    pictures.get(i).mediaType()));
        }
        return List.copyOf(places);
    }

    /** Starts of the runs of the id that has {@code count} runs; of several such ids, the one with the most ids in them. */
    private static List<Integer> placeholders(int[] ids, int count) {
        Map<Integer, List<Integer>> startsOf = new HashMap<>();
        Map<Integer, Integer> totalOf = new HashMap<>();
        for (int from = 0; from < ids.length; ) {
            int to = from + 1;
            while (to < ids.length && ids[to] == ids[from]) {
                to++;
            }
            if (to - from >= SHORTEST_RUN) {
                startsOf.computeIfAbsent(ids[from], ignored -> new ArrayList<>())
                        .add(from);
                totalOf.merge(ids[from], to - from, Integer::sum);
            }
            from = to;
        }
        List<Integer> best = List.of();
        int most = 0;
        for (var entry : startsOf.entrySet()) {
            int total = totalOf.get(entry.getKey());
            if (entry.getValue().size() == count && total > most) {
                best = entry.getValue();
                most = total;
            }
        }
        return best;
    }
}
