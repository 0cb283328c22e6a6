#!/usr/bin/env bash
# Runs the polar command; builds first what is missing or older than its sources.
set -euo pipefail

here="$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)"
distribution="$here/polar-cli/target/polar"
stamp="$distribution/.built"

# shellcheck source=polar-cli/src/main/bash/jdk.sh
. "$here/polar-cli/src/main/bash/jdk.sh"

fail() {
  echo "polar: $1" >&2
  exit 2
}

liberty_home() {
  local version home
  # As a JVM sees it, whatever HOME says: that is where the build unpacks the server.
  home="$(getent passwd "$(id -u)" 2> /dev/null | cut -d: -f6 || true)"
  version="$(sed -n 's/.*<liberty.version>\(.*\)<\/liberty.version>.*/\1/p' "$here/pom.xml")"
  echo "${POLAR_LIBERTY_HOME:-${home:-$HOME}/.cache/polar/openliberty-$version/wlp}"
}

is_stale() {
  [ -f "$stamp" ] || return 0
  [ -x "$(liberty_home)/bin/server" ] || return 0
  # A folder's own time changes when a file in it goes. Not so for the examples: servers and agents leave their own folders beside them.
  [ -n "$(find "$here"/pom.xml "$here"/server.xml "$here"/*/pom.xml "$here"/plugins/*/pom.xml "$here"/*/src/main "$here"/plugins/*/src/main "$here"/plugins/pom.xml \
      -newer "$stamp" -print -quit 2> /dev/null)" ] && return 0
  [ -n "$(find "$here"/examples \( -name .polar -o -name __pycache__ \) -prune -o -type f -newer "$stamp" -print -quit 2> /dev/null)" ]
}

build() {
  command -v mvn > /dev/null || fail "Maven is not on the PATH: install Maven 3.8 or later (Debian: apt-get install maven)"
  local log="$here/polar-cli/target/build.log" started
  mkdir -p "$here/polar-cli/target"
  if [ -x "$(liberty_home)/bin/server" ]; then
    echo "polar: building ..." >&2
  else
    echo "polar: building for the first time: this fetches some 600 MB and takes a few minutes ..." >&2
  fi
  started="$(mktemp)"
  if ! (cd "$here" && JAVA_HOME="$jdk" mvn -B -ntp -Dmaven.test.skip=true package 2>&1) | tee "$log" |
      awk '/Building .*\[[0-9]+\/[0-9]+\]/ { sub(/^.*Building /, ""); print "  " $0; fflush() }' >&2; then
    grep -E '^\[ERROR\]' "$log" | head -n 20 >&2 || tail -n 20 "$log" >&2
    rm -f "$started"
    fail "the build failed (all of it: $log)"
  fi
  mkdir -p "$distribution"
  # As old as the start of the build: what was changed during it is built next time.
  mv "$started" "$stamp"
}

jdk="$(find_jdk)" || fail "no JDK 25 found in JAVA_HOME, on the PATH or in the usual folders: install one (for example Temurin 25) or set JAVA_HOME to it"

if is_stale; then
  if command -v flock > /dev/null; then
    mkdir -p "$here/polar-cli/target"
    exec 9> "$here/polar-cli/target/.build.lock"
    flock 9
    if is_stale; then build; fi
    exec 9>&-
  else
    build
  fi
fi

options=(-XX:+UseSerialGC -Xshare:auto --enable-native-access=ALL-UNNAMED)
# The simulator may serve load for long; every other command is over soon.
[ "${1:-}" = sim ] || options+=(-XX:TieredStopAtLevel=1)
exec "$jdk/bin/java" "${options[@]}" -cp "$distribution/lib/*" dev.polar.cli.Polar "$@"
