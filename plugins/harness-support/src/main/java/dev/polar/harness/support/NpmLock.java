package dev.polar.harness.support;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Every package, with version and hash, that one version of an agent's program was seen to work with: without it they are whatever is newest on the day of the installation. A harness has it as its
 * resource {@code npm/HARNESS-VERSION.json}: the {@code package-lock.json} (lockfileVersion 3) of {@code npm install --omit-lockfile-registry-resolved --before=DATE}, where the date is that of the
 * program's own version.
 *
 * @param name the program's package
 * @param lock the file's text
 */
record NpmLock(String name, String version, String lock) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Empty where the harness has none for this version. */
    static Optional<NpmLock> of(NpmPackage npmPackage, String version) {
        var resource = "/npm/" + npmPackage.harness() + "-" + version + ".json";
        try (var in = NpmLock.class.getResourceAsStream(resource)) {
            return in == null
                    ? Optional.empty()
                    : Optional.of(new NpmLock(
                            npmPackage.name(), version, new String(in.readAllBytes(), StandardCharsets.UTF_8)));
        } catch (IOException broken) {
            throw new UncheckedIOException("the resource " + resource + " cannot be read", broken);
        }
    }

    /** Where {@code npm install} looks for it, and keeps to it. */
    void write(Path folder) throws IOException {
        Files.writeString(folder.resolve("package-lock.json"), lock);
        Files.writeString(
                folder.resolve("package.json"), JSON.writeValueAsString(Map.of("dependencies", Map.of(name, version))));
    }
}
