#!/usr/bin/env bash
# golden_all.sh - golden runs by every compiler, at every level and with every number of threads.
#
#     tools/golden_all.sh PROGRAMS THREADS...
#
# PROGRAMS holds a folder per build with the program `golden` in it. The first build with the first
# number of threads is what all others are compared with. Exits with 1 when any run differs.
set -euo pipefail
cd "$(dirname "$0")/.."

programs=$1
shift
values=$(mktemp)
trap 'rm -f "$values"' EXIT
reference=
failed=0
for program in "$programs"/*/golden; do
    build=$(basename "$(dirname "$program")")
    for threads in "$@"; do
        name="$build, $threads threads"
        if [ -z "$reference" ]; then
            "$program" --write "$values" --threads "$threads"
            reference=$name
            printf 'wrote   %s\n' "$name"
        elif report=$("$program" --compare "$values" --threads "$threads"); then
            printf 'ok      %s: %s\n' "$name" "$report"
        else
            printf '%s\nFAILED  %s: not as %s\n' "$report" "$name" "$reference"
            failed=1
        fi
    done
done
exit "$failed"
