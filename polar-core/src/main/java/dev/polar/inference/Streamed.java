package dev.polar.inference;

/**
 * How a streamed generation ended.
 *
 * @param generation its answer; where it broke off, as much as had come, without a finish reason unless the engine had given one
 * @param failure why it broke off, or null for a whole answer
 */
public record Streamed(Generation generation, EngineException failure) {}
