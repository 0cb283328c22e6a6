package dev.polar.cli;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads an option that takes one of some words, and names them as they are written where it is none of them. Stateless. */
final class Words<E extends Enum<E>> implements ITypeConverter<E> {
    private final Class<E> type;

    Words(Class<E> type) {
        this.type = type;
    }

    @Override
    public E convert(String value) {
        return Arrays.stream(type.getEnumConstants())
                .filter(each -> value.equalsIgnoreCase(each.toString()) || value.equalsIgnoreCase(each.name()))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException("'" + value + "' is none of "
                        + Arrays.stream(type.getEnumConstants())
                                .map(each -> each.toString().toLowerCase(Locale.ROOT))
                                .collect(Collectors.joining(", "))));
    }
}
