#!/usr/bin/env bash
# tidy.sh - static analysis of the library and the program with clang-tidy.
set -euo pipefail
cd "$(dirname "$0")/.."

# The debug build keeps asserts, which tell the analyser what we rely on.
cmake --preset debug >/dev/null
# One file per run: clang-tidy 14 takes every va_list of a second file for uninitialised.
find src scenes cli examples -name '*.c' -print0 |
    xargs -0 --max-procs="$(nproc)" --max-args=1 clang-tidy -p build/debug --quiet \
        --warnings-as-errors='*' 2>/dev/null
