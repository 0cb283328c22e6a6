/**
 * A gateway node: takes sessions, walks each through INIT, READY, RUN and POSTRUN on one virtual thread, and hands its result back.
 *
 * <p>A session is one method that reads top to bottom ({@link dev.polar.gateway.AgentRun}). It holds at most one place in {@link dev.polar.gateway.Stages}, and gives it back however it ends.
 * It is interrupted only inside a section of its {@link dev.polar.gateway.StopSignal}; records and results are written outside of one. What it started is ended on fresh threads with
 * time limits of their own. A result is on the disk before it is sent, and stays there until the rollout server has acknowledged it.
 */
package dev.polar.gateway;
