#!/usr/bin/env bash
# fuzz.sh - each fuzz target (or FUZZ_KINDS) for FUZZ_SECONDS (600), from the kept corpus on.
#
# New inputs go to build/fuzz/corpus and failing ones to build/fuzz/found; to keep one, copy it to
# tests/fuzz/corpus, where every later test run replays it. Exits with 1 when anything was found.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${FUZZ_SECONDS:-600}
failed=0
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz -- --quiet

for kind in ${FUZZ_KINDS:-mesh heights series json_scene problem fclib hull distance recording}; do
    grown=build/fuzz/corpus/$kind
    found=build/fuzz/found/$kind-
    log=build/fuzz/$kind.log
    mkdir -p "$grown" build/fuzz/found
    # HDF5 itself forgets memory when a file is broken.
    leaks=1
    [ "$kind" = fclib ] && leaks=0
    if ASAN_OPTIONS=detect_leaks=$leaks build/fuzz/tests/fuzz/fuzz_$kind -max_total_time="$seconds" -timeout=10 -max_len=10240 \
        -rss_limit_mb=2048 -artifact_prefix="$found" -print_final_stats=1 \
        "$grown" "tests/fuzz/corpus/$kind" >"$log" 2>&1; then
        printf 'ok      %s: %s inputs in %s s\n' "$kind" \
            "$(awk '/number_of_executed_units/ {print $2}' "$log")" "$seconds"
    else
        tail -n 30 "$log"
        printf 'FAILED  %s: the input is in build/fuzz/found\n' "$kind"
        failed=1
    fi
done
exit "$failed"
