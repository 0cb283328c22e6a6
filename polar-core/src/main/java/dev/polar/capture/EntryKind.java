package dev.polar.capture;

/** What an entry of a record says. The codes are part of the file's format. */
enum EntryKind {
    /** Which session this is; always the first. */
    HEADER(1),
    COMPLETION(2),
    /** Completions were delivered, and no completion's entry came after to say so. */
    DELIVERED(3),
    /** A call sampled nothing that was seen. */
    FAILED_CALL(4),
    /** Labels, end-of-turn id and tails; the last one counts. */
    SEALED(5),
    /** A picture, before the first completion whose prompt shows it. */
    IMAGE(6);

    private final int code;

    EntryKind(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    /** @throws IllegalArgumentException for a code of none */
    static EntryKind of(int code) {
        for (var kind : values()) {
            if (kind.code == code) {
                return kind;
            }
        }
        throw new IllegalArgumentException("entry kind " + code + " is not known");
    }
}
