#!/usr/bin/env bash
# golden_all.sh - golden runs by every compiler, at every level and with every number of threads.
#
#     tools/golden_all.sh PROGRAMS THREADS...
#
# PROGRAMS holds a folder per build with the program `golden` in it. Each is compared with
# tests/golden/values.txt. Exits with 1 when any run differs, or when there is no program.
set -euo pipefail
cd "$(dirname "$0")/.."

programs=$1
shift
failed=0
for program in "$programs"/*/golden; do
    build=$(basename "$(dirname "$program")")
    for threads in "$@"; do
        if report=$("$program" --compare tests/golden/values.txt --threads "$threads"); then
            printf 'ok      %s, %s threads: %s\n' "$build" "$threads" "$report"
        else
            printf '%s\nFAILED  %s, %s threads\n' "$report" "$build" "$threads"
            failed=1
        fi
    done
done
exit "$failed"
