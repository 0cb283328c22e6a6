package dev.polar.export;

import java.util.List;

/**
 * A column of an export.
 *
 * @param name unique among its neighbours
 * @param type what stands in it; every value may also be null
 */
record Column(String name, Type type) {
    /** What a column holds. A JSON Lines file shows it in the values; a Parquet file declares it. */
    sealed interface Type {}

    /** One value. */
    enum Scalar implements Type {
        TEXT,
        /** 64 bits. */
        WHOLE,
        /** A double. */
        REAL,
        FLAG,
        /** Any tree. JSON Lines hold it as it is, Parquet as JSON text. */
        JSON
    }

    /** Values are {@code int[]}, {@code double[]} or a {@link List}. */
    record ListOf(Type element) implements Type {}

    /** Values are maps from the columns' names. */
    record Struct(List<Column> columns) implements Type {}

    /** Token ids, masks. */
    static final Type WHOLES = new ListOf(Scalar.WHOLE);

    static final Type REALS = new ListOf(Scalar.REAL);

    static Column text(String name) {
        return new Column(name, Scalar.TEXT);
    }

    static Column whole(String name) {
        return new Column(name, Scalar.WHOLE);
    }

    static Column real(String name) {
        return new Column(name, Scalar.REAL);
    }

    static Column json(String name) {
        return new Column(name, Scalar.JSON);
    }

    static Column list(String name, Type element) {
        return new Column(name, new ListOf(element));
    }

    static Column struct(String name, Column... columns) {
        return new Column(name, new Struct(List.of(columns)));
    }
}
