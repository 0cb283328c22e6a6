package dev.polar.spi;

import java.net.URI;

/**
 * The model API as the agent sees it.
 *
 * @param baseUrl without a trailing slash and without {@code /v1}, as reachable from inside the runtime
 * @param apiKey the session's secret: hand it to the agent by environment or file, never on a command line
 * @param model the name that the agent should ask for
 */
public record ModelEndpoint(URI baseUrl, String apiKey, String model) {
    /** The base of the OpenAI dialects: {@code baseUrl} and {@code /v1}. */
    public String openAiBaseUrl() {
        return baseUrl + "/v1";
    }

    @Override
    public String toString() {
        return "ModelEndpoint[" + baseUrl + ", " + model + "]";
    }
}
