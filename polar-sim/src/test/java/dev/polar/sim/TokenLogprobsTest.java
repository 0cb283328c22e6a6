package dev.polar.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TokenLogprobsTest {
    private static final double[] VALUES = {-0.5681040942386921, -1.8401965184587754, -0.6791299186388657};
    private static final BigInteger MASK = BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE);

    /** The rule once more, in whole numbers of any size. */
    private static double byTheRule(int[] context, int[] sampled, int position) {
        BigInteger hash = new BigInteger("cbf29ce484222325", 16);
        for (int i = 0; i < context.length + position + 1; i++) {
            BigInteger id = BigInteger.valueOf(i < context.length ? context[i] : sampled[i - context.length]);
            for (int place = 0; place < 4; place++) {
                BigInteger oneByte = id.shiftRight(8 * place).and(BigInteger.valueOf(255));
                hash = hash.xor(oneByte)
                        .multiply(new BigInteger("100000001b3", 16))
                        .and(MASK);
            }
        }
        double u = new BigDecimal(hash.shiftRight(11))
                .divide(new BigDecimal(BigInteger.ONE.shiftLeft(53)))
                .doubleValue();
        return -(0.0001 + 4.0 * u);
    }

    @Test
    void equals_the_rule_to_the_last_bit() {
        SplittableRandom random = new SplittableRandom(5);
        for (int round = 0; round < 200; round++) {
            int[] context = random.ints(random.nextInt(20), 0, 200_000).toArray();
            int[] sampled = random.ints(1 + random.nextInt(8), 0, 200_000).toArray();
            TokenLogprobs line = new TokenLogprobs(context);
            for (int i = 0; i < sampled.length; i++) {
                assertThat(line.peek(sampled[i])).isEqualTo(byTheRule(context, sampled, i));
                assertThat(line.append(sampled[i]))
                        .isEqualTo(byTheRule(context, sampled, i))
                        .isBetween(-4.0001, -0.0001);
            }
        }
    }

    @Test
    void depends_on_every_id_before_the_token() {
        double first = new TokenLogprobs(new int[] {1, 2, 3}).append(4);
        assertThat(new TokenLogprobs(new int[] {1, 2, 5}).append(4)).isNotEqualTo(first);
        assertThat(new TokenLogprobs(new int[] {9, 2, 3}).append(4)).isNotEqualTo(first);
        assertThat(new TokenLogprobs(new int[] {1, 2, 3}).append(5)).isNotEqualTo(first);
    }

    @Test
    void equals_values_worked_out_elsewhere() {
        TokenLogprobs line = new TokenLogprobs(new int[] {1, 2, 300});
        assertThat(new double[] {line.append(5), line.append(6143), line.append(0)})
                .containsExactly(VALUES);
    }
}
