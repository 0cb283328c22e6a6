package dev.polar.sim;

/** A request that the engine refuses; each dialect has its own body for it. */
final class ApiError extends RuntimeException {
    private final int status;
    private final String type;
    private final String param;

    /**
     * @param type the engine's name for the kind of error
     * @param param what the error is about; null where the engine gives null
     */
    ApiError(int status, String type, String param, String message) {
        super(message, null, false, false);
        this.status = status;
        this.type = type;
        this.param = param;
    }

    static ApiError badRequest(String param, String message) {
        return new ApiError(400, "BadRequestError", param, message);
    }

    int status() {
        return status;
    }

    String type() {
        return type;
    }

    String param() {
        return param;
    }
}
