package dev.polar.evaluator.testonoutput;

import java.util.regex.Pattern;

/**
 * A pattern for paths with {@code /} between names: {@code *} and {@code ?} stay within a name, {@code **} does not, {@code [...]} is a set. It may match at any depth, a folder and so all that
 * is in it included; a leading {@code /} ties it to the top. Not the file system's own matcher, which refuses names that the server's locale cannot spell.
 */
record Glob(Pattern pattern) {
    static Glob of(String text) {
        boolean tied = text.startsWith("/");
        var body = text.substring(
                tied ? 1 : 0, text.endsWith("/") && text.length() > 1 ? text.length() - 1 : text.length());
        return new Glob(Pattern.compile((tied ? "" : "(?:.*/)?") + regex(body) + "(?:/.*)?", Pattern.DOTALL));
    }

    boolean matches(String path) {
        return pattern.matcher(path).matches();
    }

    private static String regex(String glob) {
        var regex = new StringBuilder();
        for (int i = 0; i < glob.length(); i++) {
            char c = glob.charAt(i);
            int end = c == '[' ? glob.indexOf(']', i + 2) : -1;
            if (glob.startsWith("**/", i)) {
                regex.append("(?:.*/)?");
                i += 2;
            } else if (glob.startsWith("**", i)) {
                regex.append(".*");
                i++;
            } else if (c == '*') {
                regex.append("[^/]*");
            } else if (c == '?') {
                regex.append("[^/]");
            } else if (end > 0) {
                regex.append(set(glob.substring(i + 1, end)));
                i = end;
            } else {
                regex.append(Pattern.quote(String.valueOf(c)));
            }
        }
        return regex.toString();
    }

    private static String set(String inside) {
        boolean negated = inside.startsWith("!") || inside.startsWith("^");
        var members = inside.substring(negated ? 1 : 0)
                .replace("\\", "\\\\")
                .replace("[", "\\[")
                .replace("&", "\\&")
                .replace("^", "\\^");
        return "[" + (negated ? "^/" : "") + members + "]";
    }
}
