package dev.polar.proxy;

/** A call that is not passed on. */
final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Fault fault;

    RefusedException(Fault fault) {
        super(fault.message(), null, false, false);
        this.fault = fault;
    }

    /** A request that is wrong at {@code path}. */
    static RefusedException invalid(String path, String problem) {
        return new RefusedException(Fault.invalid(path, problem));
    }

    Fault fault() {
        return fault;
    }
}
