package dev.polar.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.polar.capture.Picture;
import dev.polar.spi.ImagePlace;
import java.util.List;
import org.junit.jupiter.api.Test;

class ImagePlacesTest {
    private static final String TWO =
            "[{'role':'user','content':[{'type':'image_url','image_url':{'url':'data:image/png;base64,AAAA'}},"
                    + "{'type':'text','text':'and'},{'type':'image_url','image_url':{'url':'data:image/gif;base64,BBBB'}}]}]";

    private static List<ImagePlace> find(String messages, int... ids) {
        return ImagePlaces.find(Picture.in(Bodies.tree(messages)), ids);
    }

    @Test
    void e19_pictures_stand_at_the_runs_of_their_placeholder() {
        var places = find(TWO, 1, 50, 50, 50, 2, 2, 7, 50, 50, 50, 50, 3);
        assertThat(places).extracting(ImagePlace::position).containsExactly(1, 7);
        assertThat(places).extracting(ImagePlace::mediaType).containsExactly("image/png", "image/gif");
        assertThat(places.get(0).digest())
                .startsWith("sha256:")
                .isNotEqualTo(places.get(1).digest());
    }

    @Test
    void e19_where_no_id_has_that_many_runs_the_pictures_tell_whole_prompts_apart() {
        assertThat(find(TWO, 1, 50, 50, 2)).extracting(ImagePlace::position).containsExactly(0, 0);
    }

    @Test
    void a_prompt_without_pictures_has_none() {
        assertThat(find("[{'role':'user','content':'x'}]", 5, 5, 5)).isEmpty();
    }
}
