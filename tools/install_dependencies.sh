#!/usr/bin/env bash
# install_dependencies.sh - installs the Debian packages that building, testing or comparing Cairn needs.
#
#     tools/install_dependencies.sh build|bench|neon|test|tidy
#
# test contains build, tidy contains test; bench is build and the engines that Cairn is compared with,
# neon a compiler for aarch64 and an emulator of it.
# Says nothing and needs no rights when nothing is missing.
set -euo pipefail

build_packages=(gcc libc6-dev make cmake ninja-build pkg-config libsuitesparse-dev
    libhdf5-dev zlib1g-dev libzstd-dev libmicrohttpd-dev libpng-dev)
if ! command -v npm >/dev/null; then # some machines have it from elsewhere
    build_packages+=(nodejs npm)
fi
test_packages=("${build_packages[@]}" g++ binutils clang lld clang-format check
    libmpfr-dev libqhull-dev python3 python3-numpy
    python3-vtk9 chromium ffmpeg)
bench_packages=("${build_packages[@]}" g++ libbullet-dev libode-dev libmujoco-dev)
neon_packages=(gcc libc6-dev make gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user)
tidy_packages=("${test_packages[@]}" clang-tidy)

case "${1:-}" in
    build) wanted=("${build_packages[@]}") ;;
    bench) wanted=("${bench_packages[@]}") ;;
    neon) wanted=("${neon_packages[@]}") ;;
    test) wanted=("${test_packages[@]}") ;;
    tidy) wanted=("${tidy_packages[@]}") ;;
    *)
        echo "usage: $0 build|bench|neon|test|tidy" >&2
        exit 2
        ;;
esac

if ! command -v dpkg-query >/dev/null; then
    echo "This is not a Debian system; please install the equivalents of: ${wanted[*]}" >&2
    exit 1
fi

missing=()
for package in "${wanted[@]}"; do
    status=$(dpkg-query --show --showformat '${db:Status-Status}' "$package" 2>/dev/null || true)
    if [ "$status" != installed ]; then
        missing+=("$package")
    fi
done
if [ ${#missing[@]} -eq 0 ]; then
    exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "These packages are missing and only root can install them: ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi

echo "Installing ${missing[*]}" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { "${as_root[@]}" apt-get update &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install --yes --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    cat "$log" >&2
    echo "The packages could not be installed; the lines above say why." >&2
    exit 1
fi
