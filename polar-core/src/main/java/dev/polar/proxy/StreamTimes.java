package dev.polar.proxy;

import java.time.Duration;

/**
 * When a stream whose answer is not there yet says something.
 *
 * @param head after this long its head goes out; agents give up on silent heads after 60 s
 * @param keepAlive time between two keep-alives; agents give up on silent streams after 240 s
 * @param probe time between two looks whether the agent is still there
 */
record StreamTimes(Duration head, Duration keepAlive, Duration probe) {
    static final StreamTimes DEFAULT =
            new StreamTimes(Duration.ofSeconds(15), Duration.ofSeconds(10), Duration.ofMillis(500));
}
