package dev.polar.export;

/** The formats of {@code polar export}. */
public enum ExportFormat {
    /** Chat messages and tools, for supervised fine-tuning. */
    MESSAGES("messages"),
    /** Ids, labels, mask and log-probabilities. */
    TOKENS("tokens"),
    /** Harbor's Agent Trajectory Interchange Format, version 1.8. */
    ATIF("atif"),
    /** What Slime's samples are as dictionaries. */
    SLIME("slime"),
    /** NeMo Gym's rollouts. */
    NEMO_GYM("nemo-gym");

    private final String word;

    ExportFormat(String word) {
        this.word = word;
    }

    /** As it is written on the command line. */
    @Override
    public String toString() {
        return word;
    }

    /** @param images null where the user did not say */
    RowFormat rows(ImageForm images) {
        var form = images == null ? ImageForm.REFERENCE : images;
        return switch (this) {
            case MESSAGES -> new MessagesFormat(images);
            case TOKENS -> new TokensFormat(form);
            case ATIF -> new AtifFormat(form);
            case SLIME -> new SlimeFormat(form);
            case NEMO_GYM -> new NemoGymFormat(form);
        };
    }
}
