package dev.polar.inference;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReplicasTest {
    private static final List<String> URLS = List.of("http://a:1", "http://b:1", "http://c:1");

    @Test
    void a_session_stays_where_it_is_and_sessions_spread() {
        try (var replicas = new Replicas(URLS, url -> true)) {
            var places = IntStream.range(0, 300)
                    .mapToObj(i -> replicas.of("sk-polar-" + i))
                    .collect(Collectors.groupingBy(url -> url, Collectors.counting()));
            assertThat(places).hasSize(3);
            assertThat(places.values()).allMatch(count -> count > 50);
            assertThat(replicas.of("sk-polar-7")).isEqualTo(replicas.of("sk-polar-7"));
        }
    }

    @Test
    void one_that_fails_is_left_out_and_only_its_own_sessions_move() {
        // nobody is asked for its health before the test's own findings are in: the check finds them all well
        try (var replicas = new Replicas(URLS, url -> true)) {
            var before =
                    IntStream.range(0, 100).mapToObj(i -> replicas.of("s" + i)).toList();
            assertThat(replicas.failed("http://b:1")).isTrue();
            for (int i = 0; i < 100; i++) {
                var now = replicas.of("s" + i);
                if (!before.get(i).equals("http://b:1")) {
                    assertThat(now).isEqualTo(before.get(i));
                }
            }
        }
    }

    @Test
    void with_one_alone_there_is_no_other() {
        try (var replicas = new Replicas(List.of("http://a:1"), url -> false)) {
            assertThat(replicas.failed("http://a:1")).isFalse();
            assertThat(replicas.of("s")).isEqualTo("http://a:1");
        }
    }
}
