package dev.polar.proxy;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What is sent to the engine for a call, and what was in force.
 *
 * @param body the whole request
 * @param sampling effective values, with what a log-probability is
 * @param guided true where a grammar decides among the tokens
 */
record EngineRequest(ObjectNode body, ObjectNode sampling, boolean guided) {
    /** The same request, to be sent again. */
    EngineRequest again() {
        return new EngineRequest(body.objectNode().setAll(body), sampling, guided);
    }
}
