package dev.polar.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class EventChannelTest {
    private static final Pattern FRAME = Pattern.compile("id: (\\d+)\ndata: (\\{.*})\n\n");

    @Test
    void hello_comes_first_and_every_frame_has_an_id() throws Exception {
        var channel = new EventChannel(10, Duration.ofMinutes(1));
        var reader = follow(channel, null);
        reader.awaitFrames(1);
        channel.publish("task.created", Map.of("task_id", "t"));
        reader.awaitFrames(2);
        channel.close();
        reader.thread.join();

        assertThat(reader.data().get(0))
                .startsWith("{\"type\":\"hello\",\"ts\":")
                .endsWith("\"data\":{}}");
        assertThat(reader.data().get(1)).contains("\"task.created\"").contains("\"data\":{\"task_id\":\"t\"}");
        assertThat(reader.text()).matches("(id: \\d+\ndata: \\{.*}\n\n){2}");
    }

    @Test
    void a_reader_resumes_after_the_last_id_it_saw() throws Exception {
        var channel = new EventChannel(10, Duration.ofMinutes(1));
        var first = follow(channel, null);
        first.awaitFrames(1);
        channel.publish("a", Map.of());
        channel.publish("b", Map.of());
        channel.publish("c", Map.of());
        first.awaitFrames(4);

        var second = follow(channel, first.ids().get(1));
        second.awaitFrames(3);
        channel.close();
        second.thread.join();

        assertThat(second.data().get(1)).contains("\"b\"");
        assertThat(second.data().get(2)).contains("\"c\"");
        assertThat(second.ids().get(0))
                .as("hello keeps the place, so that it can be resumed again")
                .isEqualTo(first.ids().get(1));
    }

    @Test
    void an_id_of_an_earlier_process_brings_all_that_is_buffered() throws Exception {
        var channel = new EventChannel(2, Duration.ofMinutes(1));
        channel.publish("a", Map.of());
        channel.publish("b", Map.of());
        channel.publish("c", Map.of());
        var reader = follow(channel, "17");
        reader.awaitFrames(3);
        channel.close();
        reader.thread.join();

        assertThat(reader.data().get(1)).contains("\"b\"");
        assertThat(reader.data().get(2)).contains("\"c\"");
    }

    @Test
    void a_reader_that_does_not_read_never_holds_up_a_publisher() throws Exception {
        var channel = new EventChannel(100, Duration.ofMinutes(1));
        var release = new CountDownLatch(1);
        var stuck = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                try {
                    release.await();
                } catch (InterruptedException stopped) {
                    throw new IOException(stopped);
                }
            }
        };
        var thread = Thread.ofVirtual().start(() -> stream(channel, null, stuck));
        for (int i = 0; i < 10_000; i++) {
            channel.publish("tick", Map.of("i", i));
        }
        channel.close();
        release.countDown();
        thread.join();
    }

    @Test
    void silence_is_broken_by_pings() throws Exception {
        var channel = new EventChannel(10, Duration.ofMillis(10));
        var reader = follow(channel, null);
        reader.awaitFrames(3);
        channel.close();
        reader.thread.join();

        assertThat(reader.data().get(1)).contains("\"ping\"");
    }

    @Test
    void a_reader_that_has_gone_ends_its_stream() {
        var channel = new EventChannel(10, Duration.ofMillis(10));
        var gone = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("gone");
            }
        };
        assertThatThrownBy(() -> channel.stream(null, gone)).isInstanceOf(IOException.class);
    }

    private static void stream(EventChannel channel, String lastEventId, OutputStream out) {
        try {
            channel.stream(lastEventId, out);
        } catch (IOException | InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    private static Reader follow(EventChannel channel, String lastEventId) {
        var bytes = new ByteArrayOutputStream();
        return new Reader(bytes, Thread.ofVirtual().start(() -> stream(channel, lastEventId, bytes)));
    }

    private record Reader(ByteArrayOutputStream bytes, Thread thread) {
        String text() {
            return bytes.toString(StandardCharsets.UTF_8);
        }

        List<MatchResult> frames() {
            return FRAME.matcher(text()).results().toList();
        }

        List<String> data() {
            return frames().stream().map(frame -> frame.group(2)).toList();
        }

        List<String> ids() {
            return frames().stream().map(frame -> frame.group(1)).toList();
        }

        void awaitFrames(int count) {
            await().until(() -> frames().size() >= count);
        }
    }
}
