package dev.polar.export;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.polar.export.Column.ListOf;
import dev.polar.export.Column.Scalar;
import dev.polar.export.Column.Struct;
import dev.polar.wire.Json;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.conf.ParquetConfiguration;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Types;

/** Rows as the values of Parquet columns. Lists have the three levels that the format's specification asks for; every value may be null. */
final class ParquetRows extends WriteSupport<Map<String, Object>> {
    private final List<Column> columns;
    private RecordConsumer out;

    ParquetRows(List<Column> columns) {
        this.columns = columns;
    }

    @Override
    public WriteContext init(Configuration unused) {
        return context();
    }

    @Override
    public WriteContext init(ParquetConfiguration unused) {
        return context();
    }

    private WriteContext context() {
        var schema =
                new MessageType("row", columns.stream().map(ParquetRows::type).toList());
        return new WriteContext(schema, Map.of());
    }

    private static Type type(Column column) {
        return type(column.name(), column.type());
    }

    private static Type type(String name, Column.Type type) {
        return switch (type) {
            case Scalar scalar ->
                switch (scalar) {
                    case TEXT -> text(name, LogicalTypeAnnotation.stringType());
                    // Not the annotation for JSON: not every reader knows it, and the text is the same.
                    case JSON -> text(name, LogicalTypeAnnotation.stringType());
                    case WHOLE -> Types.optional(PrimitiveTypeName.INT64).named(name);
                    case REAL -> Types.optional(PrimitiveTypeName.DOUBLE).named(name);
                    case FLAG -> Types.optional(PrimitiveTypeName.BOOLEAN).named(name);
                };
            case ListOf list ->
                Types.optionalList().element(type("element", list.element())).named(name);
            case Struct struct ->
                Types.optionalGroup()
                        .addFields(
                                struct.columns().stream().map(ParquetRows::type).toArray(Type[]::new))
                        .named(name);
        };
    }

    private static Type text(String name, LogicalTypeAnnotation annotation) {
        return Types.optional(PrimitiveTypeName.BINARY).as(annotation).named(name);
    }

    @Override
    public void prepareForWrite(RecordConsumer consumer) {
        out = consumer;
    }

    @Override
    public void write(Map<String, Object> row) {
        out.startMessage();
        fields(columns, row);
        out.endMessage();
    }

    private void fields(List<Column> of, Map<?, ?> values) {
        for (int i = 0; i < of.size(); i++) {
            var value = values.get(of.get(i).name());
            if (value != null) {
                out.startField(of.get(i).name(), i);
                value(of.get(i).type(), value);
                out.endField(of.get(i).name(), i);
            }
        }
    }

    private void value(Column.Type type, Object value) {
        switch (type) {
            case Scalar scalar -> scalar(scalar, value);
            case ListOf list -> list(list.element(), value);
            case Struct struct -> {
                out.startGroup();
                fields(struct.columns(), (Map<?, ?>) value);
                out.endGroup();
            }
        }
    }

    private void scalar(Scalar type, Object value) {
        switch (type) {
            case TEXT -> out.addBinary(Binary.fromString((String) value));
            case JSON -> out.addBinary(Binary.fromString(json(value)));
            case WHOLE -> out.addLong(((Number) value).longValue());
            case REAL -> out.addDouble(((Number) value).doubleValue());
            case FLAG -> out.addBoolean((Boolean) value);
        }
    }

    private static String json(Object value) {
        try {
            return Json.MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private void list(Column.Type element, Object values) {
        out.startGroup();
        if (size(values) > 0) {
            out.startField("list", 0);
            switch (values) {
                case int[] wholes -> {
                    for (int whole : wholes) {
                        element(() -> out.addLong(whole));
                    }
                }
                case double[] reals -> {
                    for (double real : reals) {
                        element(() -> out.addDouble(real));
                    }
                }
                default ->
                    ((List<?>) values).forEach(value -> element(value == null ? null : () -> value(element, value)));
            }
            out.endField("list", 0);
        }
        out.endGroup();
    }

    private static int size(Object values) {
        return switch (values) {
            case int[] wholes -> wholes.length;
            case double[] reals -> reals.length;
            default -> ((List<?>) values).size();
        };
    }

    private void element(Runnable value) {
        out.startGroup();
        if (value != null) {
            out.startField("element", 0);
            value.run();
            out.endField("element", 0);
        }
        out.endGroup();
    }
}
