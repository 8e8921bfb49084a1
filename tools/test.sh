#!/usr/bin/env bash
# test.sh - the whole test run: format, layers, three builds without warnings, their tests.
#
# Quiet while all goes well: one line per step. The full output of each step is in build/log.
# Ends with one line, "N passed, N failed"; exits with 1 when anything failed.
set -euo pipefail
cd "$(dirname "$0")/.."

jobs=$(nproc)
logs=build/log
passed=0
failed=0
mkdir -p "$logs"

# step NAME COMMAND...: runs the command; its output is shown only when it fails.
step() {
    local name=$1 log="$logs/${1// /-}.log" start=$SECONDS
    shift
    if "$@" >"$log" 2>&1; then
        printf 'ok      %s (%d s)\n' "$name" $((SECONDS - start))
        passed=$((passed + 1))
    else
        cat "$log"
        printf 'FAILED  %s (%d s)\n' "$name" $((SECONDS - start))
        failed=$((failed + 1))
        return 1
    fi
}

build() {
    cmake --preset "$1" -DCAIRN_WERROR=ON && cmake --build --preset "$1" -- --quiet
}

# tests PRESET: counts the cases of every test program, not the programs.
tests() {
    local preset=$1 log="$logs/test-$1.log" report="$PWD/build/$1/tests.xml" start=$SECONDS
    local words counts=(0 1)
    rm -f "$report"
    if ctest --preset "$preset" -j "$jobs" --no-tests=error --output-junit "$report" \
        --test-output-size-passed 1000000 >"$log" 2>&1; then
        words=ok
    else
        words=FAILED
        grep -v ' Passed ' "$log" || true
    fi
    if [ -e "$report" ]; then
        read -r -a counts < <(tools/count_tests.py "$report")
    fi
    printf '%-7s test %s: %d passed, %d failed (%d s)\n' "$words" "$preset" "${counts[@]}" \
        $((SECONDS - start))
    passed=$((passed + counts[0]))
    failed=$((failed + counts[1]))
}

step format tools/format.sh --check || true
step layers tools/check_layers.py || true
for preset in release clang asan; do
    if step "build $preset" build "$preset"; then
        tests "$preset"
    fi
done

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
