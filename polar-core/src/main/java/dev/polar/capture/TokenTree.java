package dev.polar.capture;

import dev.polar.spi.ImagePlace;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A session's ids as a radix tree. A path from the root spells a prompt, and an answer goes on from the end of its prompt, so that the next prompt shares both. An id with a picture at its
 * place is another id: the same placeholder behind two pictures makes two branches.
 *
 * <p>A node holds a segment of ids. Memory is linear in the distinct ids; a split copies none. Not thread-safe.
 */
final class TokenTree {
    /** No completion's path: only the root has it. */
    static final int NOBODY = -1;

    private final Map<String, Integer> numbers = new HashMap<>();
    private final Node root = new Node(null, new int[0], 0, 0, 0, NO_PICTURES, NOBODY);

    private static final int[] NO_PICTURES = {};

    /** A segment of ids below its parent's. */
    static final class Node {
        private Node parent;
        private final int[] ids;
        private int from;
        private final int to;
        private final int depth;
        private int[] pictures;
        private final int owner;
        private Map<Long, Node> children = Map.of();
        private int enter;
        private int leave;

        private Node(Node parent, int[] ids, int from, int to, int depth, int[] pictures, int owner) {
            this.parent = parent;
            this.ids = ids;
            this.from = from;
            this.to = to;
            this.depth = depth;
            this.pictures = pictures;
            this.owner = owner;
        }

        /** Ids from the root to this segment's end. */
        int depth() {
            return depth;
        }

        /** Ids from the root to this segment's start. */
        int start() {
            return depth - (to - from);
        }

        /** A completion whose prompt and answer run through this node. */
        int owner() {
            return owner;
        }

        Node parent() {
            return parent;
        }

        Collection<Node> children() {
            return children.values();
        }

        /** True where {@code other} is this node or below it. Only after {@link TokenTree#number}. */
        boolean isAbove(Node other) {
            return enter <= other.enter && other.enter < leave;
        }

        private void adopt(long key, Node child) {
            if (children.isEmpty()) {
                children = HashMap.newHashMap(1);
            }
            children.put(key, child);
            child.parent = this;
        }
    }

    Node root() {
        return root;
    }

    /** The small number, from 1, of the pictures at one place; 0 stands for none. */
    private int number(String digests) {
        return numbers.computeIfAbsent(digests, unknown -> numbers.size() + 1);
    }

    /**
     * Pictures as the tree keeps them: pairs of position and number, by position. Those at one position, as where nobody could tell the places, are one to the tree: as a whole they are the
     * same or not.
     */
    int[] pictures(List<ImagePlace> images) {
        var byPosition = new TreeMap<Integer, String>();
        images.forEach(image -> byPosition.merge(image.position(), image.digest(), (all, more) -> all + " " + more));
        var pairs = new int[2 * byPosition.size()];
        int next = 0;
        for (var place : byPosition.entrySet()) {
            pairs[next++] = place.getKey();
            pairs[next++] = number(place.getValue());
        }
        return pairs;
    }

    /**
     * Goes on from {@code at}'s end with {@code ids[from..to)}, sharing what is there and adding what is not.
     *
     * @param pictures pairs by absolute position, of which only those at the new ids count
     * @param owner whose path this is
     * @return the node that ends exactly there
     */
    Node extend(Node at, int[] ids, int from, int to, int[] pictures, int owner) {
        var node = at;
        int next = from;
        while (next < to) {
            long key = key(ids[next], pictureAt(pictures, node.depth));
            var child = node.children.get(key);
            if (child == null) {
                return grow(node, key, ids, next, to, pictures, owner);
            }
            int same = common(child, ids, next, to, pictures);
            node = same == child.to - child.from ? child : split(child, same);
            next += same;
        }
        return node;
    }

    /** The node that ends at {@code depth} on the way from the root to {@code below}; made by a split where none ends there. */
    Node endingAt(Node below, int depth) {
        var node = below;
        while (node.start() >= depth && node.parent != null) {
            node = node.parent;
        }
        return node.depth == depth ? node : split(node, depth - node.start());
    }

    private static Node grow(Node parent, long key, int[] ids, int from, int to, int[] pictures, int owner) {
        boolean whole = from == 0 && to == ids.length;
        var own = whole ? ids : Arrays.copyOfRange(ids, from, to);
        int depth = parent.depth + own.length;
        var leaf = new Node(parent, own, 0, own.length, depth, between(pictures, parent.depth, depth), owner);
        parent.adopt(key, leaf);
        return leaf;
    }

    /** Cuts a node's first {@code length} ids off into a node above it. */
    private static Node split(Node lower, int length) {
        int cut = lower.start() + length;
        var upper = new Node(
                lower.parent,
                lower.ids,
                lower.from,
                lower.from + length,
                cut,
                between(lower.pictures, lower.start(), cut),
                lower.owner);
        lower.parent.adopt(key(lower.ids[lower.from], pictureAt(lower.pictures, lower.start())), upper);
        lower.pictures = between(lower.pictures, cut, lower.depth);
        lower.from += length;
        upper.adopt(key(lower.ids[lower.from], pictureAt(lower.pictures, cut)), lower);
        return upper;
    }

    /** How many of {@code ids[from..to)} the child's segment begins with, pictures included. */
    private static int common(Node child, int[] ids, int from, int to, int[] pictures) {
        int least = Math.min(child.to - child.from, to - from);
        int difference = Arrays.mismatch(child.ids, child.from, child.from + least, ids, from, from + least);
        int same = difference < 0 ? least : difference;
        int start = child.start();
        var mine = between(pictures, start, start + same);
        var theirs = between(child.pictures, start, start + same);
        int other = Arrays.mismatch(mine, theirs);
        if (other < 0) {
            return same;
        }
        int pair = other & ~1;
        int first = Math.min(
                pair < mine.length ? mine[pair] : Integer.MAX_VALUE,
                pair < theirs.length ? theirs[pair] : Integer.MAX_VALUE);
        return first - start;
    }

    private static long key(int id, int picture) {
        return (long) picture << Integer.SIZE | Integer.toUnsignedLong(id);
    }

    private static int pictureAt(int[] pictures, int position) {
        for (int i = 0; i < pictures.length; i += 2) {
            if (pictures[i] == position) {
                return pictures[i + 1];
            }
        }
        return 0;
    }

    private static int[] between(int[] pictures, int from, int to) {
        int first = 0;
        while (first < pictures.length && pictures[first] < from) {
            first += 2;
        }
        int last = first;
        while (last < pictures.length && pictures[last] < to) {
            last += 2;
        }
        return first == last ? NO_PICTURES : Arrays.copyOfRange(pictures, first, last);
    }

    /** The ids at {@code from..to} on the way from the root to {@code end}. */
    static int[] ids(Node end, int from, int to) {
        var ids = new int[to - from];
        for (var node = end; node != null && node.depth > from; node = node.parent) {
            int start = node.start();
            int low = Math.max(start, from);
            int high = Math.min(node.depth, to);
            if (low < high) {
                System.arraycopy(node.ids, node.from + low - start, ids, low - from, high - low);
            }
        }
        return ids;
    }

    /** The first position of {@code id} in {@code from..} on the way from the root to {@code end}, or -1. */
    static int firstIndexOf(Node end, int id, int from) {
        int found = -1;
        for (var node = end; node != null && node.depth > from; node = node.parent) {
            int start = node.start();
            for (int i = Math.max(start, from); i < node.depth; i++) {
                if (node.ids[node.from + i - start] == id) {
                    found = i;
                    break;
                }
            }
        }
        return found;
    }

    /** Numbers the nodes, so that {@link Node#isAbove} can tell; anew after each change. */
    void number() {
        record Step(Node node, boolean leaving) {}
        var steps = new ArrayDeque<Step>();
        steps.push(new Step(root, false));
        int clock = 0;
        while (!steps.isEmpty()) {
            var step = steps.pop();
            if (step.leaving) {
                step.node.leave = clock;
                continue;
            }
            step.node.enter = clock++;
            steps.push(new Step(step.node, true));
            step.node.children.values().forEach(child -> steps.push(new Step(child, false)));
        }
    }

    /** Ids that the tree holds, and nodes: what its memory grows with. */
    record Size(long ids, int nodes) {}

    Size size() {
        long ids = 0;
        int nodes = 0;
        var open = new ArrayDeque<Node>();
        open.push(root);
        while (!open.isEmpty()) {
            var node = open.pop();
            nodes++;
            ids += node.to - node.from;
            open.addAll(node.children.values());
        }
        return new Size(ids, nodes);
    }
}
