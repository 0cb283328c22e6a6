package dev.polar.harness.support;

import dev.polar.spi.Check;
import java.util.Optional;

/**
 * An agent's program as npm has it.
 *
 * @param harness the harness's name: in messages, and as the name of its folders
 * @param name the package
 * @param program the command that it puts on the path
 * @param pinned the version that is installed unless the task names another; each harness's tests run it
 * @param seen the versions that were seen to work, as npm writes a range: {@code 2.1.197 || 2.1.332}
 * @param nodeMajor the least Node.js that the pinned version runs on, in the runtime; 0 where the program is native
 * @param finish script of the package, relative to its folder, that puts its native program in place where npm was told to run no scripts; null for none
 * @param locked whether the harness has a {@link NpmLock} of the pinned version: for a program that is made of many packages
 */
public record NpmPackage(
        String harness,
        String name,
        String program,
        String pinned,
        String seen,
        int nodeMajor,
        String finish,
        boolean locked) {
    public NpmPackage {
        Check.text("harness", harness);
        Check.text("name", name);
        Check.text("program", program);
        Check.text("pinned", pinned);
        Check.text("seen", seen);
    }

    /** @throws IllegalStateException where it is to be locked and is not: a new version was pinned, and its lock forgotten */
    Optional<NpmLock> lock(String version) {
        var lock = NpmLock.of(this, version);
        if (locked && version.equals(pinned) && lock.isEmpty()) {
            throw new IllegalStateException(
                    harness + " has no lock of " + name + " " + pinned + ": make one, as NpmLock says");
        }
        return lock;
    }
}
