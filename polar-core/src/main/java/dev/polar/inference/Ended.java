package dev.polar.inference;

/**
 * How a generation ended. Engines end each answer with a finish reason: one without it is a part of an answer, however well it came through.
 *
 * @param generation its answer; where it broke off, as much as had come, without a finish reason unless the engine had given one
 * @param failure why it is no whole answer, or null where it is
 */
public record Ended(Generation generation, EngineException failure) {}
