package dev.polar.sim;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.junit.jupiter.api.RepeatedTest;

class DoorwayTest {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();

    @RepeatedTest(100)
    void nobody_can_connect_once_it_is_closed() throws IOException {
        var doorway = new Doorway(new InetSocketAddress(HERE, 0), new InetSocketAddress(HERE, 1));
        int port = doorway.port();

        doorway.close();

        assertThatThrownBy(() -> new Socket(HERE, port)).isInstanceOf(ConnectException.class);
    }
}
