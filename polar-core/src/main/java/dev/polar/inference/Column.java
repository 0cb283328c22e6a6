package dev.polar.inference;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A list that is read out of an answer, value by value. What is no number is NaN among log-probabilities, and makes a list of ids none at all: gaps are never filled. */
final class Column {
    private final AnswerPaths.Slot slot;
    private int[] ints = new int[0];
    private double[] doubles = new double[0];
    final List<String> texts = new ArrayList<>();
    private int size;
    boolean broken;

    Column(AnswerPaths.Slot slot) {
        this.slot = slot;
    }

    void add(JsonParser parser) throws IOException {
        var token = parser.currentToken();
        switch (slot) {
            case TOKEN_TEXTS -> texts.add(token == JsonToken.VALUE_STRING ? parser.getText() : null);
            case LOGPROBS -> {
                room();
                doubles[size] = token.isNumeric() ? parser.getDoubleValue() : Double.NaN;
            }
            case PROMPT_IDS, SAMPLED_IDS -> {
                room();
                if (token == JsonToken.VALUE_NUMBER_INT && parser.getNumberType() == JsonParser.NumberType.INT) {
                    ints[size] = parser.getIntValue();
                } else {
                    broken = true;
                }
            }
        }
        size++;
    }

    /** After an element that did not hold this value. */
    void padTo(int length) {
        while (size < length) {
            switch (slot) {
                case TOKEN_TEXTS -> texts.add(null);
                case LOGPROBS -> {
                    room();
                    doubles[size] = Double.NaN;
                }
                case PROMPT_IDS, SAMPLED_IDS -> {
                    room();
                    broken = true;
                }
            }
            size++;
        }
    }

    private void room() {
        int length = slot == AnswerPaths.Slot.LOGPROBS ? doubles.length : ints.length;
        if (size < length) {
            return;
        }
        int grown = Math.max(256, length * 2);
        if (slot == AnswerPaths.Slot.LOGPROBS) {
            doubles = Arrays.copyOf(doubles, grown);
        } else {
            ints = Arrays.copyOf(ints, grown);
        }
    }

    int size() {
        return size;
    }

    int[] ints() {
        return Arrays.copyOf(ints, size);
    }

    double[] doubles() {
        return Arrays.copyOf(doubles, size);
    }
}
