package dev.polar.inference;

/** A call that the engine did not answer. The message is the engine's own where it gave one. */
public final class EngineException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What went wrong, which decides status and retry. */
    public enum Kind {
        /** The engine refused the request. */
        REFUSED,
        /** It refused because prompt, or prompt and limit, do not fit into its window. */
        OVERFLOW,
        /** It answered with an error of its own. */
        FAILED,
        /** No connection. Nothing was sampled. */
        UNREACHABLE,
        /** The connection broke, or the answer was no answer. */
        BROKEN,
        /** Nothing came for too long. */
        SILENT,
        /** We ended it: the caller hung up, its session closed, or the server stops. */
        ABORTED
    }

    private final Kind kind;
    private final int status;
    private final String retryAfter;
    private final String param;

    /**
     * @param status the engine's HTTP status, or the one that fits
     * @param retryAfter the engine's header, or null
     * @param param the key that the engine complains of, or null
     */
    public EngineException(Kind kind, int status, String message, String retryAfter, String param, Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.status = status;
        this.retryAfter = retryAfter;
        this.param = param;
    }

    static EngineException of(Kind kind, int status, String message, Throwable cause) {
        return new EngineException(kind, status, message, null, null, cause);
    }

    static EngineException aborted() {
        return of(Kind.ABORTED, 499, "the call was ended before its answer had come", null);
    }

    /** Of an answer that the engine cut off when some of it had been told already. */
    public static EngineException cutOff() {
        return of(Kind.FAILED, 503, "the inference server cut the answer off for new weights: ask again", null);
    }

    /** Of a whole answer without a finish reason. */
    static EngineException unfinished() {
        return of(Kind.BROKEN, 502, "the inference server's answer has no end: it gives no finish reason", null);
    }

    public Kind kind() {
        return kind;
    }

    public int status() {
        return status;
    }

    public String retryAfter() {
        return retryAfter;
    }

    public String param() {
        return param;
    }
}
