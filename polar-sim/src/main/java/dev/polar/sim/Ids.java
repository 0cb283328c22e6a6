package dev.polar.sim;

import java.util.concurrent.ThreadLocalRandom;

/** Made-up ids in the engines' forms. */
final class Ids {
    private Ids() {}

    static String vllmChat() {
        return "chatcmpl-" + hex(16);
    }

    static String vllmTool() {
        return "chatcmpl-tool-" + hex(16);
    }

    static String sglangTool() {
        return "call_" + hex(24);
    }

    static String hex(int digits) {
        StringBuilder out = new StringBuilder(digits);
        while (out.length() < digits) {
            out.append(Character.forDigit(ThreadLocalRandom.current().nextInt(16), 16));
        }
        return out.toString();
    }
}
