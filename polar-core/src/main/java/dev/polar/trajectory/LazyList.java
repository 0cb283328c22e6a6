package dev.polar.trajectory;

import java.util.AbstractList;
import java.util.List;
import java.util.function.IntFunction;

/** A list whose elements are made when they are asked for, and anew each time: what a long session's traces hold together does not fit into memory. */
final class LazyList<T> extends AbstractList<T> {
    private final int size;
    private final IntFunction<T> element;

    private LazyList(int size, IntFunction<T> element) {
        this.size = size;
        this.element = element;
    }

    /** @param element must give the same each time */
    static <T> List<T> of(int size, IntFunction<T> element) {
        return new LazyList<>(size, element);
    }

    @Override
    public T get(int index) {
        return element.apply(java.util.Objects.checkIndex(index, size));
    }

    @Override
    public int size() {
        return size;
    }
}
