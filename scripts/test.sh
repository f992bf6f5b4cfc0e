#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds and runs all tests: sanitizers first, the release build last. Exits non-zero if anything failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

jobs=$(nproc)
passed=0
failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

say() { echo "== $* (after $((SECONDS / 60)) min $((SECONDS % 60)) s)"; }

# build PRESET: a build that fails counts as one failure, and its tests then fail one by one.
build() {
  say "build $1"
  if ! { cmake --preset "$1" >"$log" 2>&1 || { cat "$log"; false; }; } || ! cmake --build --preset "$1" -- --quiet; then
    echo "error: the $1 build failed" >&2
    failed=$((failed + 1))
  fi
}

# run_tests PRESET [PREFIX...]: runs CTest, adds its counts, leaves its summary on the terminal.
run_tests() {
  local preset=$1 line
  shift
  say "test $preset"
  "$@" ctest --preset "$preset" -j "$jobs" 2>&1 | tee "$log"
  line=$(grep -E '^[0-9]+% tests passed, [0-9]+ tests? failed out of [0-9]+' "$log")
  if [[ $line =~ ([0-9]+)\ tests?\ failed\ out\ of\ ([0-9]+) ]]; then
    failed=$((failed + BASH_REMATCH[1]))
    passed=$((passed + BASH_REMATCH[2] - BASH_REMATCH[1]))
  else
    echo "error: CTest ran no test of the $preset build" >&2
    failed=$((failed + 1))
  fi
}

scripts/setup.sh || exit 1
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}

# ThreadSanitizer's fixed memory map fails where the kernel spreads addresses more widely than it expects.
fixed_addresses=()
if setarch "$(uname -m)" -R true 2>/dev/null; then
  fixed_addresses=(setarch "$(uname -m)" -R)
fi

build release
build asan
build tsan
# The thread tests run plans of the release build.
run_tests_of_plans=$(ctest --test-dir build/release -R '^data\.plans$' 2>&1) || echo "$run_tests_of_plans"
run_tests asan
run_tests tsan "${fixed_addresses[@]}"
run_tests release

say "done"
echo "$passed passed, $failed failed"
((failed == 0))
