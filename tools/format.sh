#!/usr/bin/env bash
# format.sh - formats every C file of the tree, or with --check says which ones are not.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=(-i)
if [ "${1:-}" = --check ]; then
    mode=(--dry-run -Werror)
fi
folders=()
for folder in include src scenes cli tests bench examples; do
    if [ -d "$folder" ]; then
        folders+=("$folder")
    fi
done
find "${folders[@]}" \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) -print0 |
    xargs -0 clang-format "${mode[@]}"
