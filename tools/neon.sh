#!/usr/bin/env bash
# neon.sh - the kernels of scheme soft_step on another processor: the same bits under NEON.
#
# Builds tests/determinism/soft_bits.c for this machine and, with Debian's cross compiler, for
# aarch64, runs the second one in qemu-user, and compares all hashes.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=build/neon
mkdir -p "$folder"
sources=(tests/determinism/soft_bits.c src/solvers/soft/soft_{plain,128,256,rates}.c src/math/simd_width.c)
flags=(-std=c17 -D_POSIX_C_SOURCE=200809L -O2 -ffp-contract=off -fno-math-errno -Wno-psabi -Iinclude -Isrc)
gcc "${flags[@]}" "${sources[@]}" -lm -o "$folder/soft_bits"
aarch64-linux-gnu-gcc "${flags[@]}" -static "${sources[@]}" -lm -o "$folder/soft_bits_neon"

"$folder/soft_bits" | sed 's/^/x86-64: /' | tee "$folder/hashes.txt"
qemu-aarch64 "$folder/soft_bits_neon" | sed 's/^/aarch64: /' | tee -a "$folder/hashes.txt"
if [ "$(awk '{print $NF}' "$folder/hashes.txt" | sort -u | wc -l)" -ne 1 ]; then
    echo "the bits differ" >&2
    exit 1
fi
echo "the same bits for one lane, four and the widest, with NEON and without"
