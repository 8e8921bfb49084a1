#!/usr/bin/env bash
# demo.sh - runs one hard scene with several solvers and shows what each says about its answer.
set -euo pipefail
cd "$(dirname "$0")/.."

cairn=build/release/cairn
scene=@heavy_stack:6
results=build/demo
mkdir -p "$results"

echo "Six cubes in a pile, each ten times as heavy as the one below, stand on the ground."
echo "Every solver gets the same problems; the certificate of its answers is not its own."
for solver in pgs nsgs auto; do
    echo
    "$cairn" run "$scene" --solver "$solver" --quiet
    "$cairn" run "$scene" --solver "$solver" --quiet --json >"$results/$solver.json"
done
echo
echo "Positions, forces and certificates of the three runs are in $results/*.json."
