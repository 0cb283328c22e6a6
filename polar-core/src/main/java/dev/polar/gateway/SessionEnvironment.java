package dev.polar.gateway;

import dev.polar.spi.ModelEndpoint;
import dev.polar.spi.Runtime;
import dev.polar.spi.RuntimeSpec;
import dev.polar.spi.SessionInfo;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a session's processes find in their environment. Paths are those of {@link Runtime#SESSION_DIR}; a runtime without a view of its own maps them. */
final class SessionEnvironment {
    static final String ALLOW_INTERNET = "POLAR_ALLOW_INTERNET";

    private SessionEnvironment() {}

    /** The model API's address and key, in the names that each dialect's clients read. */
    static Map<String, String> endpoint(ModelEndpoint endpoint) {
        var env = new LinkedHashMap<>(addresses(endpoint));
        env.put("ANTHROPIC_API_KEY", endpoint.apiKey());
        env.put("OPENAI_API_KEY", endpoint.apiKey());
        env.put("GOOGLE_API_KEY", endpoint.apiKey());
        return env;
    }

    /** The same without the key: for a sandbox that calls no model. */
    static Map<String, String> addresses(ModelEndpoint endpoint) {
        var env = new LinkedHashMap<String, String>();
        env.put("ANTHROPIC_BASE_URL", endpoint.baseUrl().toString());
        env.put("OPENAI_BASE_URL", endpoint.openAiBaseUrl());
        env.put("GOOGLE_API_URL", endpoint.baseUrl().toString());
        return env;
    }

    /** What a runtime is started with: {@code model} from above, the session's names and folders, {@code runtime.env}, and the marker that nothing overrides. */
    static Map<String, String> of(Map<String, String> model, SessionInfo session, RuntimeSpec spec) {
        var env = new LinkedHashMap<>(model);
        env.put("SESSION_ID", session.sessionId());
        env.put("TASK_ID", session.taskId());
        env.put("SESSION_DIR", Runtime.SESSION_DIR);
        env.put("ARTIFACTS_DIR", Runtime.SESSION_DIR + "/artifacts");
        env.put("LOGS_DIR", Runtime.SESSION_DIR + "/logs");
        env.put("AGENT_LOG_DIR", Runtime.SESSION_DIR + "/logs/agent");
        env.putAll(spec.env());
        env.put(ALLOW_INTERNET, spec.allowInternet().toString());
        return env;
    }
}
