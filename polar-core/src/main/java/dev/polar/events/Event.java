package dev.polar.events;

/**
 * One event.
 *
 * @param id rises by one within a channel
 * @param json the frame's data: type, ts (epoch seconds) and data
 */
record Event(long id, String json) {}
