package dev.polar.evaluator.testonoutput;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A patch as git prints it, one part for each file. Bytes are kept as they are: held as ISO 8859-1, in which each byte is one character.
 *
 * @see <a href="https://git-scm.com/docs/diff-format">the format</a>
 */
record Patch(List<String> parts) {
    private static final String HEAD = "diff --git ";

    static Patch of(byte[] bytes) {
        var parts = new ArrayList<String>();
        var part = new StringBuilder();
        for (var line : new String(bytes, StandardCharsets.ISO_8859_1).split("(?<=\n)")) {
            if (line.startsWith(HEAD) && !part.isEmpty()) {
                parts.add(part.toString());
                part.setLength(0);
            }
            part.append(line);
        }
        parts.add(part.toString());
        return new Patch(List.copyOf(parts));
    }

    /** Without the files that one of the globs matches. What stands before the first file stays. */
    Patch without(List<Glob> globs) {
        return new Patch(parts.stream()
                .filter(part -> !part.startsWith(HEAD) || globs.stream().noneMatch(glob -> glob.matches(path(part))))
                .toList());
    }

    /** True where it changes nothing. */
    boolean isEmpty() {
        return parts.stream().allMatch(String::isBlank);
    }

    byte[] bytes() {
        return String.join("", parts).getBytes(StandardCharsets.ISO_8859_1);
    }

    /** The path that a file has afterwards, or had where it is deleted. */
    static String path(String part) {
        for (var line : part.split("\n")) {
            if (line.startsWith("@@ ") || line.startsWith("GIT binary patch")) {
                break;
            }
            if (line.startsWith("rename to ") || line.startsWith("copy to ")) {
                return unquoted(line.substring(line.indexOf(" to ") + 4));
            }
        }
        // Else both names are the same, so that the line splits in the middle.
        var names = part.substring(HEAD.length(), part.indexOf('\n') < 0 ? part.length() : part.indexOf('\n'));
        var second = unquoted(names.substring(names.length() / 2 + 1));
        return second.startsWith("b/") ? second.substring(2) : second;
    }

    /** A name that git put in quotes, with C's escapes for what is not plain ASCII. */
    private static String unquoted(String name) {
        if (!name.startsWith("\"") || !name.endsWith("\"") || name.length() < 2) {
            return new String(name.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
        }
        var bytes = new ByteArrayOutputStream();
        for (int i = 1; i < name.length() - 1; i++) {
            char c = name.charAt(i);
            if (c != '\\') {
                bytes.write(c);
                continue;
            }
            char escaped = name.charAt(++i);
            if (escaped >= '0' && escaped <= '3') {
                bytes.write(Integer.parseInt(name.substring(i, i + 3), 8));
                i += 2;
            } else {
                int known = "abtnvfr".indexOf(escaped);
                bytes.write(known < 0 ? escaped : 7 + known);
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
