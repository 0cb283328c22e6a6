package dev.polar.inference;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.node.NumericNode;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;

/** A number that is written as it was read: {@code 1e5}, {@code 0.70}, {@code -0} and the like, where a double or an integer would be written otherwise. */
final class NumberText extends NumericNode {
    private static final long serialVersionUID = 1L;

    private final String text;
    private final BigDecimal value;

    NumberText(String text) {
        this.text = text;
        this.value = new BigDecimal(text);
    }

    @Override
    public void serialize(JsonGenerator out, SerializerProvider provider) throws IOException {
        out.writeNumber(text);
    }

    @Override
    public JsonToken asToken() {
        return JsonToken.VALUE_NUMBER_FLOAT;
    }

    @Override
    public JsonParser.NumberType numberType() {
        return JsonParser.NumberType.BIG_DECIMAL;
    }

    @Override
    public Number numberValue() {
        return value;
    }

    @Override
    public int intValue() {
        return value.intValue();
    }

    @Override
    public long longValue() {
        return value.longValue();
    }

    @Override
    public double doubleValue() {
        return value.doubleValue();
    }

    @Override
    public BigDecimal decimalValue() {
        return value;
    }

    @Override
    public BigInteger bigIntegerValue() {
        return value.toBigInteger();
    }

    @Override
    public boolean canConvertToInt() {
        return value.compareTo(BigDecimal.valueOf(Integer.MIN_VALUE)) >= 0
                && value.compareTo(BigDecimal.valueOf(Integer.MAX_VALUE)) <= 0;
    }

    @Override
    public boolean canConvertToLong() {
        return value.compareTo(BigDecimal.valueOf(Long.MIN_VALUE)) >= 0
                && value.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) <= 0;
    }

    @Override
    public String asText() {
        return text;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NumberText number && number.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }
}
