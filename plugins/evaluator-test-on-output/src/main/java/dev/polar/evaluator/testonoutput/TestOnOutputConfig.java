package dev.polar.evaluator.testonoutput;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.polar.spi.Check;
import dev.polar.spi.InvalidValueException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * {@code evaluator.config} of {@code test_on_output}.
 *
 * @param testCommand run by a shell in {@code repoDir}; required
 * @param expectedOutputJson test name to {@code PASSED}, {@code FAILED}, {@code ERROR} or {@code SKIPPED}: an object, or JSON text of one; required
 * @param repoDir absolute path in the runtime; default {@code /testbed}
 * @param patchCommand prints the agent's changes as a patch, run by a shell in {@code repoDir}; null for the difference between the tree at INIT's end and after RUN
 * @param applyTimeout seconds; default 60
 * @param testTimeout seconds; default 1200
 * @param excludePatterns globs of paths that are left out of the patch, besides {@link #ALWAYS_EXCLUDED}
 */
public record TestOnOutputConfig(
        String testCommand,
        Object expectedOutputJson,
        String repoDir,
        String patchCommand,
        Double applyTimeout,
        Double testTimeout,
        List<String> excludePatterns) {
    /** What running Python leaves behind. */
    public static final List<String> ALWAYS_EXCLUDED = List.of("__pycache__", "*.pyc", "*.pyo", ".pytest_cache");

    private static final String EXPECTED = "expected_output_json";

    public TestOnOutputConfig {
        Check.text("test_command", testCommand);
        expectedOutputJson = results(Check.present(EXPECTED, expectedOutputJson));
        repoDir = Check.orElse(repoDir, "/testbed");
        if (!repoDir.startsWith("/")) {
            throw new InvalidValueException("repo_dir", "'" + repoDir + "' must be an absolute path in the runtime");
        }
        applyTimeout = Check.orElse(Check.positive("apply_timeout", applyTimeout), 60.0);
        testTimeout = Check.orElse(Check.positive("test_timeout", testTimeout), 1200.0);
        excludePatterns = Check.list(excludePatterns);
    }

    /** The expected result of each test, names as {@link TestOutput#name} makes them. */
    Map<String, String> expected() {
        var expected = new TreeMap<String, String>();
        ((Map<?, ?>) expectedOutputJson)
                .forEach((name, result) -> expected.put(TestOutput.name(name.toString()), result.toString()));
        return expected;
    }

    private static Map<?, ?> results(Object value) {
        var tree = value instanceof String text ? parsed(text) : value;
        if (!(tree instanceof Map<?, ?> map) || map.isEmpty()) {
            throw new InvalidValueException(EXPECTED, "must be an object of test names and results, not empty");
        }
        map.forEach((name, result) -> {
            if (!(result instanceof String word) || !TestOutput.RESULTS.contains(word)) {
                throw new InvalidValueException(
                        EXPECTED + "." + name, result + " is none of " + String.join(", ", TestOutput.RESULTS));
            }
        });
        return map;
    }

    private static Object parsed(String text) {
        try {
            return new ObjectMapper().readValue(text, Object.class);
        } catch (JacksonException noJson) {
            throw new InvalidValueException(EXPECTED, "is text, but not JSON: " + noJson.getOriginalMessage());
        }
    }
}
