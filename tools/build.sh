#!/usr/bin/env bash
# build.sh - builds the library and the program, optimised and without tests; quiet unless it fails.
set -euo pipefail
cd "$(dirname "$0")/.."

mkdir -p build
log=build/build.log
if ! { cmake --preset release -DCAIRN_TESTS=OFF &&
    cmake --build --preset release -- --quiet; } >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
