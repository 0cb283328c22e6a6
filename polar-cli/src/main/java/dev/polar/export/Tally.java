package dev.polar.export;

import dev.polar.result.SessionHead;
import dev.polar.result.SessionTrace;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** What an export came to. Written by one thread; the counts can be read by another, for its progress. */
public final class Tally {
    private volatile int sessions;
    private volatile int rows;
    private int sessionsWithoutTraces;
    private long tokens;
    private long trainedTokens;
    private int earlierSessions;
    private final SortedSet<String> roles = new TreeSet<>();
    private final Map<String, Integer> leftOut = new TreeMap<>();
    private final Map<String, String> refused = new LinkedHashMap<>();

    void session() {
        sessions++;
    }

    void trace(SessionTrace of) {
        roles.add(of.role());
    }

    /** Sessions that were not read: of runs before the last of their task. */
    public void leaveOutEarlier(int sessions) {
        earlierSessions += sessions;
    }

    void sessionWithoutTraces() {
        sessionsWithoutTraces++;
    }

    void row(SessionTrace of) {
        rows++;
        tokens += of.length();
        trainedTokens += of.trainedTokens();
    }

    void leaveOut(String reason) {
        leftOut.merge(reason, 1, Integer::sum);
    }

    void refuse(SessionHead session, String reason) {
        refused.put(session.sessionId(), reason);
    }

    /** Sessions read. */
    public int sessions() {
        return sessions;
    }

    public int sessionsWithoutTraces() {
        return sessionsWithoutTraces;
    }

    /** Of runs before the last of their task. */
    public int earlierSessions() {
        return earlierSessions;
    }

    /** Those that traces had, wanted or not. */
    public SortedSet<String> roles() {
        return roles;
    }

    /** Rows written: one per trace. */
    public int rows() {
        return rows;
    }

    /** Ids in the rows, prompts included. */
    public long tokens() {
        return tokens;
    }

    /** Ids in the rows with a mask of 1. */
    public long trainedTokens() {
        return trainedTokens;
    }

    /** Traces by why they did not become rows. */
    public Map<String, Integer> leftOut() {
        return leftOut;
    }

    /** Sessions that the format cannot take, by id, with the reason. */
    public Map<String, String> refused() {
        return refused;
    }
}
