# Sourced by polar and .ci/run: finds a JDK 25 or later.

# A JDK's folder says its version in a file of its own.
is_jdk_25() {
  [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] && [ -f "$1/release" ] || return 1
  local major
  major="$(sed -n 's/^JAVA_VERSION="\{0,1\}\([0-9]*\).*/\1/p' "$1/release" | head -n 1)"
  [ -n "$major" ] && [ "$major" -ge 25 ]
}

find_jdk() {
  local candidate
  if [ -n "${JAVA_HOME:-}" ] && is_jdk_25 "$JAVA_HOME"; then
    echo "$JAVA_HOME"
    return
  fi
  candidate="$(command -v java || true)"
  if [ -n "$candidate" ]; then
    candidate="$(dirname "$(dirname "$(readlink -f "$candidate")")")"
    if is_jdk_25 "$candidate"; then
      echo "$candidate"
      return
    fi
  fi
  for candidate in /usr/lib/jvm/* /usr/java/* /opt/jdk* /opt/java/* /opt/*jdk* "$HOME"/.jdks/* "$HOME"/.sdkman/candidates/java/* \
      "$HOME"/.local/share/mise/installs/java/* /Library/Java/JavaVirtualMachines/*/Contents/Home; do
    if is_jdk_25 "$candidate"; then
      echo "$candidate"
      return
    fi
  done
  return 1
}
