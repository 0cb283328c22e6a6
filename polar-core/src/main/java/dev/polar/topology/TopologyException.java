package dev.polar.topology;

/** A topology or task file that does not fit; the message is one line: {@code file:line: path: what is wrong, what was expected}. */
public final class TopologyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String path;

    /**
     * @param place {@code file:line}, or the configuration key that gave the value
     * @param path path of the key, empty for the whole file
     * @param problem what is wrong with it and what was expected
     */
    public TopologyException(String place, String path, String problem) {
        super(place + ": " + (path.isEmpty() ? "" : path + ": ") + problem);
        this.path = path;
    }

    /** Path of the key, for example {@code gateway.nodes[0].port}; empty for the whole file. */
    public String path() {
        return path;
    }
}
