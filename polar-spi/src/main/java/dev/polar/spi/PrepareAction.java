package dev.polar.spi;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.Map;

/** One step of setting a runtime up; in JSON told apart by {@code type}. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
    @JsonSubTypes.Type(value = PrepareAction.UploadFile.class, name = "upload_file"),
    @JsonSubTypes.Type(value = PrepareAction.UploadDir.class, name = "upload_dir"),
    @JsonSubTypes.Type(value = PrepareAction.Exec.class, name = "exec")
})
public sealed interface PrepareAction {
    /**
     * Copies one file into the runtime.
     *
     * @param source path on the node
     * @param target absolute path in the runtime, of the file itself
     */
    record UploadFile(String source, String target) implements PrepareAction {
        public UploadFile {
            Check.text("source", source);
            Check.text("target", target);
        }
    }

    /**
     * Copies a folder's content into the runtime.
     *
     * @param source path on the node
     * @param target absolute path in the runtime, of the folder itself
     */
    record UploadDir(String source, String target) implements PrepareAction {
        public UploadDir {
            Check.text("source", source);
            Check.text("target", target);
        }
    }

    /**
     * Runs a command in the runtime.
     *
     * @param command run by a POSIX shell
     * @param cwd directory in the runtime, or null for its working directory
     * @param env added for this command
     * @param maxAttempts 1..10, default 1
     * @param retryBackoffSeconds wait between attempts, 0..60, default 0
     */
    record Exec(String command, String cwd, Map<String, String> env, Integer maxAttempts, Double retryBackoffSeconds)
            implements PrepareAction {
        public Exec {
            Check.text("command", command);
            env = Check.env("env", env);
            maxAttempts = Check.orElse(Check.within("max_attempts", maxAttempts, 1, 10), 1);
            retryBackoffSeconds = Check.orElse(Check.within("retry_backoff_seconds", retryBackoffSeconds, 0, 60), 0.0);
        }
    }
}
