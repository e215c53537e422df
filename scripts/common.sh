# SPDX-License-Identifier: Apache-2.0
# Sourced by the shell scripts here. Sets ROOT and JOBS, and the compiler cache when there is one.
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
JOBS=${JOBS:-$(nproc)}
if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache
  # Relative paths in the cache's keys, so that another clone profits too.
  export CCACHE_BASEDIR=$ROOT CCACHE_NOHASHDIR=1
fi

die() {
  echo "$(basename "$0"): $*" >&2
  exit 2
}

# Prints the script's own opening comment, from its second line after the licence to the first blank line.
usage() {
  sed -n '3,/^[^#]*$/{s/^# \{0,1\}//p}' "$0"
}

# Configures a preset once and builds the targets (all when none is named).
build_preset() {
  local preset=$1
  shift
  [ "$preset" = release ] || export LDFLAGS="${LDFLAGS:--fuse-ld=mold}"
  if [ ! -f "$ROOT/build/$preset/build.ninja" ]; then
    (cd "$ROOT" && cmake --preset "$preset" >"/tmp/configure.$$" 2>&1) || {
      cat "/tmp/configure.$$" >&2
      rm -f "/tmp/configure.$$"
      return 1
    }
    rm -f "/tmp/configure.$$"
  fi
  (cd "$ROOT" && cmake --build --preset "$preset" -j "$JOBS" ${1:+--target "$@"})
}
