/**
 * What happens, as a stream that anyone may follow.
 *
 * <p>Each role has one channel: a bounded buffer that readers walk at their own pace. Publishing never waits for a reader; a reader that falls out of the buffer goes on at its oldest event.
 * Ids rise, also over a restart of the process, so that a reader can resume with the last one it saw. Events name tasks and sessions and hold no prompts, keys or tokens.
 */
package dev.polar.events;
