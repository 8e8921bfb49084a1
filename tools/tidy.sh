#!/usr/bin/env bash
# tidy.sh - static analysis of the library and the program with clang-tidy and cppcheck.
set -euo pipefail
cd "$(dirname "$0")/.."

cmake --preset clang >/dev/null
find src cli examples -name '*.c' -print0 |
    xargs -0 --max-procs="$(nproc)" --max-args=4 clang-tidy -p build/clang --quiet \
        --warnings-as-errors='*' 2>/dev/null
cppcheck --quiet -j "$(nproc)" --std=c11 --enable=warning,performance,portability \
    --inline-suppr --suppress=missingIncludeSystem --error-exitcode=1 -I include -I src src cli
