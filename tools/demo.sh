#!/usr/bin/env bash
# demo.sh - shows what three solvers say about one hard scene, then an arch to look at.
set -euo pipefail
cd "$(dirname "$0")/.."

cairn=build/release/cairn
scene=@heavy_stack:6
arch=scenes/gallery/arch.json
mkdir -p out

echo "Six cubes in a pile, each ten times as heavy as the one below, stand on the ground."
echo "Every solver gets the same problems; the certificate of its answers is not its own."
for solver in pgs nsgs auto; do
    echo
    "$cairn" run "$scene" --solver "$solver" --quiet
done

echo
echo "An arch of fifteen loose stones: held by friction alone."
"$cairn" view "$arch" --html out/demo.html
"$cairn" render "$arch" --time 1 --output out/demo.png --quiet
echo
echo "Open out/demo.html in a browser to see the arch and its forces; out/demo.png is a picture of it."
echo "Next: $cairn view $arch    (runs it live, in the browser)"
