package dev.polar.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.topology.GatewayConfig.Fsync;
import dev.polar.topology.GatewayConfig.Persistence;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class RecordFileTest {
    private static final Persistence QUICK = new Persistence(true, 8, 2, 4, 2, 0.001, Fsync.NONE);

    @TempDir
    private Path directory;

    private RecordStore store() {
        return new RecordStore(directory, QUICK);
    }

    private static JsonNode completions(SessionRecorder recorder) throws IOException {
        var out = new ByteArrayOutputStream();
        recorder.writeCompletions("n", out);
        return RecordedCalls.json(out.toString(java.nio.charset.StandardCharsets.UTF_8));
    }

    private Path file() throws IOException {
        try (var files = Files.list(directory)) {
            return files.findFirst().orElseThrow();
        }
    }

    /** A conversation of so many turns, in which each request repeats what was said before. */
    private static void talk(RecordedCalls calls, int first, int turns) {
        for (int turn = first; turn < first + turns; turn++) {
            var ids = new int[4 * turn + 2];
            Arrays.setAll(ids, i -> i + 100);
            var answer = new int[] {4 * turn + 102, 4 * turn + 103, 9};
            calls.call(ids, answer)
                    .request(history(turn))
                    .original(history(turn))
                    .record();
        }
    }

    private static ObjectNode history(int turns) {
        var request = JsonNodeFactory.instance.objectNode().put("model", "m").put("temperature", 1.0);
        var messages = request.putArray("messages");
        for (int turn = 0; turn <= turns; turn++) {
            messages.addObject()
                    .put("role", "user")
                    .put(
                            "content",
                            "question number " + turn + ", asked at some length so that it counts: "
                                    + Integer.toHexString(turn * 7919));
            if (turn < turns) {
                messages.addObject().put("role", "assistant").put("content", "the answer to number " + turn);
            }
        }
        request.put("stream", false);
        return request;
    }

    @Test
    void a_record_reads_back_as_it_was_written() throws IOException {
        var store = store();
        var calls = new RecordedCalls(store.create("s", "t"));
        talk(calls, 0, 12);
        calls.recorder().failedCall();
        calls.seal(9);
        var before = completions(calls.recorder());
        store.unload("s");

        var again = store().find("s").orElseThrow();

        assertThat(completions(again)).isEqualTo(before);
        assertThat(again.taskId()).isEqualTo("t");
        assertThat(again.completionCount()).isEqualTo(12);
        assertThat(again.sealed().orElseThrow().failedCalls()).isEqualTo(1);
        assertThat(again.sealed().orElseThrow().endOfTurnTokenId()).hasValue(9);
    }

    @Test
    void requests_expand_to_what_was_sent() throws IOException {
        var request = (ObjectNode) RecordedCalls.json("""
                {"z": 1, "a": 2.50, "big": 123456789012345678901234567890, "messages": [{"role": "user", "content":
                "a long enough text to be stored beside the request, with \\"quotes\\" and \\ud83d\\ude00 and a lone \\ud83d"},
                "a string among them", 7], "tools": [], "empty": {}, "stop": ["x", "y"], "none": null,
                "system": "a text of more than sixty-four bytes that stands by itself in the request, as some do"}""");
        var calls = new RecordedCalls(store().create("s", "t"));
        calls.call("1", "2 9")
                .request(request)
                .original(RecordedCalls.json("[1, {\"k\": \"v\"}]"))
                .record();
        calls.call("1", "3 9")
                .request(request.deepCopy())
                .original(RecordedCalls.json("\"text\""))
                .record();

        var written = completions(store().find("s").orElseThrow()).path("completions");

        assertThat(written.path(0).path("request").toString()).isEqualTo(request.toString());
        assertThat(written.path(1).path("request").toString()).isEqualTo(request.toString());
        assertThat(written.path(0).path("original_request").toString()).isEqualTo("[1,{\"k\":\"v\"}]");
        assertThat(written.path(1).path("original_request").textValue()).isEqualTo("text");
    }

    @Test
    void a_record_goes_on_after_the_process_died() throws IOException {
        var whole = new RecordedCalls(store().create("whole", "t"));
        talk(whole, 0, 10);
        whole.seal(9);

        var died = store();
        talk(new RecordedCalls(died.create("cut", "t")), 0, 6);
        // A delivery that nothing follows is written a moment later, or now.
        died.close();
        var second = new RecordedCalls(store().find("cut").orElseThrow());
        talk(second, 6, 4);
        second.seal(9);
        var again = store().find("cut").orElseThrow();

        assertThat(completions(again).path("completions"))
                .isEqualTo(completions(whole.recorder()).path("completions"));
    }

    @Test
    void f11_a_file_cut_at_any_byte_of_its_last_two_entries_opens_with_all_that_was_whole() throws IOException {
        var store = store();
        var calls = new RecordedCalls(store.create("s", "t"));
        var ends = new ArrayList<Long>();
        for (int turn = 0; turn < 4; turn++) {
            talk(calls, turn, 1);
            store.close();
            ends.add(Files.size(file()));
        }
        var bytes = Files.readAllBytes(file());

        for (int cut = Math.toIntExact(ends.get(1)); cut <= bytes.length; cut++) {
            Files.write(file(), Arrays.copyOf(bytes, cut));
            var recorder = store().find("s").orElseThrow();
            int length = cut;
            assertThat(recorder.completionCount()).as("cut at %d", cut).isGreaterThanOrEqualTo((int)
                    ends.stream().filter(end -> end <= length).count());
            assertThat(completions(recorder).path("completions")).hasSize(recorder.completionCount());
        }
    }

    @Test
    void a_flipped_byte_is_found_wherever_it_is() throws IOException {
        var store = store();
        talk(new RecordedCalls(store.create("s", "t")), 0, 3);
        store.close();
        var bytes = Files.readAllBytes(file());

        for (int at = 0; at < bytes.length; at++) {
            var flipped = bytes.clone();
            flipped[at] ^= (byte) (1 << at % 8);
            Files.write(file(), flipped);
            assertThatThrownBy(() -> store().find("s"))
                    .as("byte %d", at)
                    .isInstanceOf(RecordException.class)
                    .hasMessageContaining(directory.toString());
        }
    }

    @Test
    void zeros_that_a_lost_power_left_behind_are_a_torn_end() throws IOException {
        var store = store();
        talk(new RecordedCalls(store.create("s", "t")), 0, 3);
        store.close();
        var bytes = Files.readAllBytes(file());
        Files.write(file(), Arrays.copyOf(bytes, bytes.length + 5000));

        assertThat(store().find("s").orElseThrow().completionCount()).isEqualTo(3);
        assertThat(Files.size(file())).isEqualTo(bytes.length);
    }

    @Test
    void an_interrupted_caller_neither_loses_its_answer_nor_harms_the_file() throws Exception {
        var store = store();
        var calls = new RecordedCalls(store.create("s", "t"));
        var stillInterrupted = new ConcurrentLinkedQueue<Boolean>();
        for (int i = 0; i < 50; i++) {
            var call = calls.call("1 2 " + i, "3 9");
            var caller = Thread.ofVirtual().start(() -> {
                Thread.currentThread().interrupt();
                call.record();
                stillInterrupted.add(Thread.currentThread().isInterrupted());
            });
            caller.join();
        }

        assertThat(stillInterrupted).hasSize(50).doesNotContain(false);
        assertThat(store().find("s").orElseThrow().completionCount()).isEqualTo(50);
    }

    @Test
    void many_callers_at_once_lose_nothing() throws Exception {
        var store = store();
        var calls = new RecordedCalls(store.create("s", "t"));
        var all = new ArrayList<RecordedCalls.Call>();
        for (int i = 0; i < 400; i++) {
            all.add(calls.call("1 2 " + i % 7, i + " 9"));
        }
        var done = new CountDownLatch(all.size());
        all.forEach(call -> Thread.ofVirtual().start(() -> {
            call.record();
            done.countDown();
        }));
        done.await();

        var again = completions(store().find("s").orElseThrow()).path("completions");
        assertThat(again).hasSize(400);
        var sequences = new ArrayList<Long>();
        again.forEach(completion ->
                sequences.add(completion.path("metadata").path("sequence").asLong()));
        assertThat(sequences).isSorted().doesNotHaveDuplicates();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void a_full_disk_is_an_error_for_every_caller_and_not_a_hang() {
        var log = new FileLog(Path.of("/dev/full"), LogWriters.of(QUICK), 0);

        var ticket = log.append(EntryKind.FAILED_CALL, new byte[0], true);

        assertThatThrownBy(ticket::await)
                .isInstanceOf(RecordException.class)
                .hasMessageContaining("/dev/full")
                .hasMessageContaining("2 attempts");
        assertThatThrownBy(() -> log.append(EntryKind.FAILED_CALL, new byte[0], true))
                .isInstanceOf(RecordException.class);
    }

    @Test
    void a_file_grows_with_what_is_new_and_not_with_what_is_repeated() throws IOException {
        var store = store();
        var calls = new RecordedCalls(store.create("s", "t"));
        talk(calls, 0, 40);
        store.close();
        long half = Files.size(file());
        talk(calls, 40, 40);
        store.close();

        assertThat(Files.size(file()) - half).isLessThan(half * 3 / 2);
        var out = new ByteArrayOutputStream();
        calls.recorder().writeCompletions("n", out);
        assertThat(Files.size(file())).isLessThan(out.size() / 20);
    }

    @Test
    void a_deleted_record_is_gone_with_its_file() throws IOException {
        var store = store();
        talk(new RecordedCalls(store.create("s", "t")), 0, 3);

        assertThat(store.delete("s")).isEqualTo(3);

        assertThat(store.find("s")).isEmpty();
        assertThat(store.delete("s")).isZero();
        try (var files = Files.list(directory)) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void a_delivery_reaches_the_file_even_if_no_call_follows() throws IOException {
        var calls = new RecordedCalls(store().create("s", "t"));
        var id = calls.call("1", "2 9").undelivered().record();
        long before = Files.size(file());

        calls.recorder().delivered(id);

        await().until(() -> Files.size(file()) > before);

        var written = completions(store().find("s").orElseThrow()).path("completions");
        assertThat(written.path(0).path("metadata").path("delivered").booleanValue())
                .isTrue();
    }

    @Test
    void old_records_are_removed_unless_they_are_in_use() {
        var store = store();
        store.create("old", "t");
        store.create("used", "t");
        store.unload("old");

        assertThat(store.retain(Duration.ofDays(1))).isZero();
        assertThat(store.retain(Duration.ofSeconds(-1))).isEqualTo(1);
        assertThat(store.find("old")).isEmpty();
        assertThat(store.find("used")).isPresent();
    }

    @Test
    void of_records_that_were_looked_at_the_last_few_stay_in_memory_and_are_no_longer_in_use() {
        var store = store();
        for (int i = 0; i < 6; i++) {
            store.create("s" + i, "t");
            store.unload("s" + i);
        }
        var first = store.find("s0").orElseThrow();
        store.release("s0");
        assertThat(store.find("s0")).containsSame(first);
        for (int i = 1; i < 6; i++) {
            store.find("s" + i);
            store.release("s" + i);
        }
        assertThat(store.find("s0").orElseThrow()).isNotSameAs(first);
        assertThat(store.find("s5")).isPresent();
        store.unload("s0");

        assertThat(store.retain(Duration.ofSeconds(-1))).isEqualTo(6);
    }

    @Test
    void ids_that_look_alike_as_file_names_are_different_records() {
        var store = store();
        for (var id : List.of("a b", "a_b", "a:b", "ä".repeat(200))) {
            store.create(id, "t");
            store.unload(id);
        }
        for (var id : List.of("a b", "a_b", "a:b", "ä".repeat(200))) {
            assertThat(store.find(id).orElseThrow().sessionId()).isEqualTo(id);
        }
        assertThatThrownBy(() -> store.create("a b", "t")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void without_persistence_there_is_no_file_and_the_same_record() throws IOException {
        var inMemory = new RecordStore(directory.resolve("none"), new Persistence(false, 8, 2, 4, 2, 0.0, Fsync.NONE));
        var kept = new RecordedCalls(inMemory.create("s", "t"));
        var filed = new RecordedCalls(store().create("s", "t"));
        talk(kept, 0, 5);
        talk(filed, 0, 5);
        kept.seal(OptionalInt.empty(), Detokenizer.NONE);
        filed.seal(OptionalInt.empty(), Detokenizer.NONE);

        assertThat(completions(kept.recorder())).isEqualTo(completions(filed.recorder()));
        assertThat(directory.resolve("none")).doesNotExist();
        inMemory.unload("s");
        assertThat(inMemory.find("s")).isPresent();
    }
}
