package dev.polar.trajectory;

import dev.polar.capture.RecordedCalls;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Makes sessions up: conversations with forks, retries, rewinds, interleaved agents and echoes in other ids, and calls without any sense at all, whose prompts are prefixes of each other by chance. */
final class CallTrees {
    static final int END_OF_TURN = 9;
    private static final int CALLERS_STOP = 8;
    private static final String[] AGENTS = {null, null, null, "a", "b"};
    private static final String[] ROLES = {"main", "main", "main", "main", "subagent", "auxiliary", "title"};

    private final Random random;
    private final RecordedCalls recorded;
    private final List<RuleBook.Call> calls = new ArrayList<>();
    private final List<RecordedCalls.Call> late = new ArrayList<>();
    private long failedCalls;

    CallTrees(long seed, RecordedCalls recorded) {
        this.random = new Random(seed);
        this.recorded = recorded;
    }

    List<RuleBook.Call> calls() {
        return calls;
    }

    long failedCalls() {
        return failedCalls;
    }

    /** Records a session. */
    void make() {
        boolean sense = random.nextInt(3) > 0;
        int count = 1 + random.nextInt(14);
        for (int i = 0; i < count; i++) {
            if (sense && !calls.isEmpty() && random.nextInt(8) > 0) {
                goOn(calls.get(random.nextBoolean() ? calls.size() - 1 : random.nextInt(calls.size())));
            } else {
                call(someIds(1 + random.nextInt(sense ? 3 : 6)), Map.of(), AGENTS[random.nextInt(AGENTS.length)]);
            }
            if (!late.isEmpty() && random.nextInt(2) == 0) {
                late.removeFirst().record();
            }
        }
        late.forEach(RecordedCalls.Call::record);
        for (int left = random.nextInt(10) - 7; left > 0; left--) {
            recorded.recorder().failedCall();
            failedCalls++;
        }
    }

    private void goOn(RuleBook.Call from) {
        if (from.prompt() == null) {
            return;
        }
        var agent = random.nextInt(6) == 0 ? AGENTS[random.nextInt(AGENTS.length)] : from.agent();
        switch (random.nextInt(6)) {
            case 0 -> call(from.prompt(), otherImages(from.images()), agent);
            case 1 -> call(Arrays.copyOf(from.prompt(), 1 + random.nextInt(from.prompt().length)), Map.of(), agent);
            default -> {
                var echo = echo(from.sampled() == null ? new int[0] : from.sampled());
                var more = someIds(random.nextInt(3));
                call(join(from.prompt(), echo, more), from.images(), agent);
            }
        }
    }

    private Map<Integer, String> otherImages(Map<Integer, String> images) {
        if (random.nextInt(3) > 0) {
            return images;
        }
        var others = new HashMap<>(images);
        others.replaceAll((position, digest) -> digests());
        return others;
    }

    /** What stands at one place: a picture, or two. */
    private String digests() {
        var first = "sha256:" + random.nextInt(3);
        return random.nextInt(4) == 0 ? first + " sha256:" + random.nextInt(3) : first;
    }

    /** How an agent's next prompt may give an answer back. */
    private int[] echo(int[] sampled) {
        boolean ended = sampled.length > 0 && sampled[sampled.length - 1] == END_OF_TURN;
        boolean callers = sampled.length > 0 && sampled[sampled.length - 1] == CALLERS_STOP;
        var body = ended || callers ? Arrays.copyOf(sampled, sampled.length - 1) : sampled;
        return switch (random.nextInt(7)) {
            case 0 -> new int[] {END_OF_TURN};
            case 1 -> join(someIds(1 + random.nextInt(2)), new int[] {END_OF_TURN});
            case 2, 3 -> join(otherIds(body), new int[] {END_OF_TURN});
            case 4 -> Arrays.copyOf(body, random.nextInt(body.length + 1));
            default -> ended ? sampled : join(body, new int[] {END_OF_TURN});
        };
    }

    /** The same digits in other ids. */
    private int[] otherIds(int[] ids) {
        var digits = RuleBook.text(ids);
        if (digits.indexOf('\uFFFD') >= 0) {
            return ids;
        }
        var others = new ArrayList<Integer>();
        for (int i = 0; i < digits.length(); ) {
            int length = Math.min(1 + random.nextInt(2), digits.length() - i);
            others.add(Integer.parseInt(digits.substring(i, i + length)));
            i += length;
        }
        return others.stream().mapToInt(i -> i).toArray();
    }

    private int[] someIds(int count) {
        var ids = new int[count];
        for (int i = 0; i < count; i++) {
            ids[i] = switch (random.nextInt(12)) {
                case 0, 1, 2, 3 -> 1;
                case 4, 5 -> 2;
                case 6 -> 3;
                case 7 -> 12;
                case 8 -> 11;
                case 9 -> random.nextInt(6) == 0 ? 800 : 21;
                default -> END_OF_TURN;
            };
        }
        return ids;
    }

    private static int[] join(int[]... parts) {
        return Arrays.stream(parts).flatMapToInt(Arrays::stream).toArray();
    }

    private int[] answer() {
        var ids = someIds(random.nextInt(4));
        return switch (random.nextInt(5)) {
            case 0 -> ids;
            case 1 -> join(ids, new int[] {CALLERS_STOP});
            default -> join(ids, new int[] {END_OF_TURN});
        };
    }

    private void call(int[] prompt, Map<Integer, String> before, String agent) {
        var sampled = answer();
        var call = recorded.call(prompt, sampled);
        var images = new HashMap<Integer, String>();
        before.forEach((position, digest) -> {
            if (position < prompt.length) {
                images.put(position, digest);
            }
        });
        if (random.nextInt(6) == 0) {
            images.put(random.nextInt(prompt.length), digests());
        }
        images.forEach((position, digests) ->
                Arrays.stream(digests.split(" ")).forEach(digest -> call.picture(position, digest)));
        boolean delivered = random.nextInt(4) > 0;
        if (!delivered) {
            call.undelivered();
        }
        var role = ROLES[random.nextInt(ROLES.length)];
        call.label(role, agent);
        boolean stopped = stop(call, sampled);
        var bad = spoil(call, sampled);
        var logprobs = RecordedCalls.logprobs(Integer.parseInt(call.id()), sampled.length);
        calls.add(new RuleBook.Call(
                call.id(),
                calls.size(),
                "no_ids".equals(bad) && random.nextBoolean() ? withoutPrompt(call) : prompt,
                "no_ids".equals(bad) ? null : sampled,
                logprobs,
                images,
                delivered,
                role,
                agent,
                stopped,
                bad));
        if (random.nextInt(5) == 0) {
            late.add(call);
        } else {
            call.record();
        }
    }

    private static int[] withoutPrompt(RecordedCalls.Call call) {
        call.withoutPrompt();
        return null;
    }

    /** How it ended; true where its last id stopped it. */
    private boolean stop(RecordedCalls.Call call, int[] sampled) {
        int last = sampled.length == 0 ? -1 : sampled[sampled.length - 1];
        if (last == CALLERS_STOP) {
            call.stoppedByCallersId(CALLERS_STOP);
            return true;
        }
        if (last != END_OF_TURN || random.nextInt(10) == 0) {
            if (random.nextBoolean()) {
                call.cut();
            } else {
                call.stoppedByString("x");
            }
            return false;
        }
        return true;
    }

    /** Makes some of them untrainable; says why. */
    private String spoil(RecordedCalls.Call call, int[] sampled) {
        switch (random.nextInt(20)) {
            case 0 -> {
                if (sampled.length > 0) {
                    var logprobs = RecordedCalls.logprobs(Integer.parseInt(call.id()), sampled.length);
                    logprobs[random.nextInt(sampled.length)] =
                            new double[] {Double.NaN, Double.NEGATIVE_INFINITY, 0.3}[random.nextInt(3)];
                    call.logprobs(logprobs);
                    return "bad_logprob";
                }
                return null;
            }
            case 1 -> {
                call.usage(sampled.length + 1);
                return "usage_mismatch";
            }
            case 2 -> {
                call.logprobs(new double[sampled.length + 1]);
                return "length_mismatch";
            }
            case 3 -> {
                if (sampled.length > 0) {
                    call.logprobs((double[]) null);
                    return "no_logprobs";
                }
                return null;
            }
            case 4 -> {
                call.withoutIds();
                return "no_ids";
            }
            default -> {
                return null;
            }
        }
    }
}
