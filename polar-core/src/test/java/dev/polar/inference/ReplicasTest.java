package dev.polar.inference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReplicasTest {
    private static final List<String> URLS = List.of("http://a:1", "http://b:1", "http://c:1");
    private static final List<String> SESSIONS =
            IntStream.range(0, 100).mapToObj(i -> "sk-polar-" + i).toList();

    private final Set<String> ill = ConcurrentHashMap.newKeySet();
    private final Replicas replicas = new Replicas(URLS, _ -> new Address.Engine(), url -> !ill.contains(url));

    private static List<String> places(Replicas replicas) {
        return SESSIONS.stream().map(replicas::of).toList();
    }

    @Test
    void a_session_stays_where_it_is_and_sessions_spread() {
        var places = places(replicas);
        assertThat(places.stream().collect(Collectors.groupingBy(url -> url, Collectors.counting())))
                .hasSize(3)
                .allSatisfy((url, count) -> assertThat(count).isGreaterThan(10));
        assertThat(places(replicas)).isEqualTo(places);
    }

    @Test
    void one_that_fails_is_left_out_and_only_its_own_sessions_move() {
        var before = places(replicas);
        assertThat(replicas.failed("http://b:1")).isTrue();
        var after = places(replicas);
        assertThat(after).doesNotContain("http://b:1");
        for (int i = 0; i < before.size(); i++) {
            if (!before.get(i).equals("http://b:1")) {
                assertThat(after.get(i)).isEqualTo(before.get(i));
            }
        }
    }

    @Test
    void one_that_is_well_again_gets_new_sessions_and_those_that_moved_stay_where_their_prefixes_are()
            throws Exception {
        places(replicas);
        ill.add("http://b:1");
        replicas.check();
        assertThat(replicas.isDown("http://b:1")).isTrue();
        var moved = places(replicas);
        ill.clear();
        replicas.check();
        assertThat(replicas.isDown("http://b:1")).isFalse();
        assertThat(places(replicas)).isEqualTo(moved);
        assertThat(IntStream.range(0, 100).mapToObj(i -> replicas.of("new-" + i)))
                .contains("http://b:1");
    }

    @Test
    void with_all_of_them_down_nobody_moves() throws Exception {
        var before = places(replicas);
        ill.addAll(URLS);
        replicas.check();
        assertThat(places(replicas)).isEqualTo(before);
        assertThat(replicas.failed("http://a:1")).isFalse();
    }

    @Test
    void with_one_alone_there_is_no_other() {
        var alone = new Replicas(List.of("http://a:1"), _ -> new Address.Engine(), _ -> false);
        assertThat(alone.failed("http://a:1")).isFalse();
        assertThat(alone.of("s")).isEqualTo("http://a:1");
    }

    @Test
    void a_routers_workers_are_followed_and_its_last_list_holds_while_it_is_silent() {
        var now = new AtomicReference<Address>(new Address.Router(List.of("http://a:1", "http://b:1")));
        var behind = new Replicas(List.of("http://router:1"), _ -> now.get(), _ -> true);
        assertThat(places(behind)).containsOnly("http://a:1", "http://b:1");
        now.set(new Address.Silent());
        behind.look();
        assertThat(behind.all()).containsExactly("http://a:1", "http://b:1");
        var before = places(behind);
        now.set(new Address.Router(List.of("http://b:1", "http://c:1")));
        behind.look();
        var after = places(behind);
        assertThat(after).containsOnly("http://b:1", "http://c:1");
        for (int i = 0; i < before.size(); i++) {
            if (before.get(i).equals("http://b:1")) {
                assertThat(after.get(i)).isEqualTo("http://b:1");
            }
        }
    }

    @Test
    void a_router_without_workers_is_named_in_the_error() {
        var empty = new Replicas(List.of("http://router:1"), _ -> new Address.Router(List.of()), _ -> true);
        assertThatThrownBy(() -> empty.of("s"))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("http://router:1")
                .hasMessageContaining("add one");
    }

    @Test
    void workers_that_cannot_give_an_answer_alone_are_left_out() throws Exception {
        var list = JsonTree.read("""
                {"workers":[
                 {"id":"1","url":"http://p:1","worker_type":"prefill","connection_mode":"HTTP"},
                 {"id":"2","url":"http://r:1/","worker_type":"regular","connection_mode":"HTTP"},
                 {"id":"3","url":"grpc://g:1","worker_type":"regular","connection_mode":"gRPC"}],"total":3}
                """);
        assertThat(Address.ofWorkers(list)).contains(new Address.Router(List.of("http://r:1")));
        assertThat(Address.ofUrls(list)).isEmpty();
        assertThat(Address.ofWorkers(JsonTree.read("{\"detail\":\"Not Found\"}")))
                .isEmpty();
    }
}
