package dev.polar.rollout;

import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Which hosts a callback may go to. Immutable. */
final class CallbackHosts {
    private final List<String> patterns;

    /** @param patterns host names, in which {@code *} stands for any characters; empty for any host */
    CallbackHosts(List<String> patterns) {
        this.patterns = patterns;
    }

    boolean allows(String url) {
        var host = URI.create(url).getHost();
        return patterns.isEmpty() || (host != null && patterns.stream().anyMatch(pattern -> matches(pattern, host)));
    }

    private static boolean matches(String pattern, String host) {
        var words = pattern.toLowerCase(Locale.ROOT).split("\\*", -1);
        var regex = new StringBuilder();
        for (int i = 0; i < words.length; i++) {
            regex.append(i == 0 ? "" : ".*").append(Pattern.quote(words[i]));
        }
        return host.toLowerCase(Locale.ROOT).matches(regex.toString());
    }

    @Override
    public String toString() {
        return String.join(", ", patterns);
    }
}
