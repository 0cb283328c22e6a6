package dev.polar.sim;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PngTextsTest {
    private static byte[] png(String... texts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(new byte[] {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'});
        chunk(out, "IHDR", new byte[13]);
        for (String text : texts) {
            chunk(out, "tEXt", text.getBytes(StandardCharsets.ISO_8859_1));
        }
        chunk(out, "IEND", new byte[0]);
        return out.toByteArray();
    }

    private static void chunk(ByteArrayOutputStream out, String type, byte[] data) {
        out.writeBytes(ByteBuffer.allocate(4).putInt(data.length).array());
        out.writeBytes(type.getBytes(StandardCharsets.US_ASCII));
        out.writeBytes(data);
        out.writeBytes(new byte[4]);
    }

    private static ObjectNode shown(byte[]... pictures) {
        ObjectNode message = Json.object().put("role", "user");
        for (byte[] picture : pictures) {
            String url = "data:image/png;base64," + Base64.getEncoder().encodeToString(picture);
            message.withArray("content")
                    .addObject()
                    .put("type", "image_url")
                    .putObject("image_url")
                    .put("url", url);
        }
        return message;
    }

    private static String texts(JsonNode... messages) {
        return PngTexts.ofLastShown(Json.array().addAll(Arrays.asList(messages)));
    }

    @Test
    void the_pictures_that_were_shown_last_say_what_stands_in_their_text_chunks() {
        ObjectNode plain = Json.object().put("role", "user").put("content", "And now?");

        assertThat(texts(shown(png("stars\0003")), shown(png("stars\00017", "by\0me"), png("moons\0001")), plain))
                .isEqualTo("stars: 17\nby: me\nmoons: 1\n");
        assertThat(texts(plain)).isEmpty();
    }

    @Test
    void what_is_no_whole_png_says_what_can_be_read() {
        byte[] whole = png("stars\00017", "by\0me");

        assertThat(texts(shown(new byte[] {1, 2, 3}))).isEmpty();
        for (int length = 0; length < whole.length; length++) {
            assertThat("stars: 17\nby: me\n").startsWith(texts(shown(Arrays.copyOf(whole, length))));
        }
        byte[] endless = png("stars\00017");
        endless[8] = 0x7F;
        assertThat(texts(shown(endless))).isEmpty();
    }

    @Test
    void a_rule_can_look_at_a_picture() {
        Scenario scenario = Scenario.parse("""
                rules:
                  - when: {image: '^stars: (?<stars>\\d+)$'}
                    answer: {text: 'I see ${stars}.'}
                  - answer: {text: 'I see nothing.'}
                """);
        ObjectNode request = Json.object();
        request.putArray("messages").add(shown(png("stars\00017")));
        ObjectNode blind = Json.object();
        blind.putArray("messages").addObject().put("role", "user").put("content", "stars: 17");

        assertThat(scenario.decide(request, new SplittableRandom(1)).answer()).isEqualTo(Answer.text("I see 17."));
        assertThat(scenario.decide(blind, new SplittableRandom(1)).answer()).isEqualTo(Answer.text("I see nothing."));
    }
}
