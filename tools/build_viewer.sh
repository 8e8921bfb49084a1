#!/usr/bin/env bash
# build_viewer.sh - bundles the viewer: tools/build_viewer.sh OUT.html|OUT.c
#
# Brings the packages of viewer/package-lock.json first, unless they are there. Several builds may
# call it at once.
set -euo pipefail
out=$(realpath -m "${1:?usage: $0 OUT.html|OUT.c}")
cd "$(dirname "$0")/../viewer"

exec 9>.lock
flock 9
if ! cmp -s package-lock.json node_modules/.installed; then
    npm ci --silent --no-progress --ignore-scripts
    cp package-lock.json node_modules/.installed
fi
node build.mjs "$out"
