package dev.polar.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.polar.spi.ApiType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Google's generateContent, of which the path says the model and the form of the answer. */
final class GoogleDialect implements Dialect {
    private static final Logger LOG = LoggerFactory.getLogger(GoogleDialect.class);

    /** What is answered. */
    enum Form {
        WHOLE,
        /** Server-sent events. */
        EVENTS,
        /** A stream that is one JSON array. */
        ARRAY,
        /** A number of tokens: the request may stand within another. */
        COUNT
    }

    private final AgentSession session;
    private final String model;
    private final Form form;

    GoogleDialect(AgentSession session, String model, Form form) {
        this.session = session;
        this.model = model;
        this.form = form;
    }

    @Override
    public ApiType api() {
        return ApiType.GOOGLE;
    }

    @Override
    public ChatCall decode(ObjectNode body) {
        JsonNode request = body;
        if (form == Form.COUNT) {
            var inner = GoogleFields.of(body, "").path("generateContentRequest");
            request = inner.isMissingNode() ? body : inner;
        }
        boolean stream = form == Form.EVENTS || form == Form.ARRAY;
        var call = new GoogleDecoder(request, session.reasoningSeal()).decode(model, stream);
        for (var rule : call.dropped()) {
            if (rule.startsWith(GoogleTools.HOSTED_RULE) && session.firstWarning(rule)) {
                LOG.warn(
                        "session {}: the tool {} is run by the vendor's cloud and was left out (said once)",
                        session.sessionId(),
                        rule.substring(GoogleTools.HOSTED_RULE.length()));
            }
        }
        return call;
    }

    @Override
    public JsonNode encode(ChatCall call, Reply reply) {
        return new GoogleEncoder(call, session.reasoningSeal()).whole(reply);
    }

    @Override
    public AnswerStream stream(ChatCall call) {
        return new GoogleStream(new GoogleEncoder(call, session.reasoningSeal()), form == Form.ARRAY);
    }

    @Override
    public JsonNode error(Fault fault) {
        return GoogleErrors.encode(fault);
    }
}
