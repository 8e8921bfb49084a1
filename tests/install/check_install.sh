#!/usr/bin/env bash
# check_install.sh - installs a build, moves the tree, and uses it as a stranger's program would.
#
#     check_install.sh BUILD_FOLDER VERSION C_COMPILER CXX_COMPILER
set -euo pipefail

build=$1 version=$2 c_compiler=$3 cxx_compiler=$4
here=$(cd "$(dirname "$0")" && pwd)
work=$build/install-test
tree=$work/moved

fail() {
    echo "install: $*" >&2
    exit 1
}

# runs_and_says_version COMMAND...
runs_and_says_version() {
    local said
    said=$("$@") || fail "$* failed"
    [ "$said" = "$version" ] || fail "$* says \"$said\", not \"$version\""
}

rm -rf "$work"
mkdir -p "$work"
cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$tree" # nothing in the tree may know where it was installed
library=$(dirname "$(find "$tree" -name libcairn.so)")
if grep -rIl "$work/first" "$tree"; then
    fail "these files name the folder they were installed in"
fi

# The shared library: its version is in its name, and it exports our names only.
[ -e "$library/libcairn.so.$version" ] || fail "libcairn.so.$version is missing"
foreign=$(nm --dynamic --defined-only --format=posix "$library/libcairn.so" | awk '$1 !~ /^cn_/ {print $1}')
[ -z "$foreign" ] || fail "exported, but not ours:" $foreign

# Every header stands alone, in C and in C++.
for header in "$tree"/include/cairn/*.h; do
    for language in "$c_compiler -x c -std=c17" "$cxx_compiler -x c++ -std=c++11"; do
        echo "#include <cairn/$(basename "$header")>" |
            $language -Wall -Wextra -Wpedantic -Werror -I "$tree/include" -fsyntax-only - ||
            fail "$(basename "$header") does not compile by itself with $language"
    done
done

# pkg-config, from C: shared, then static.
export PKG_CONFIG_PATH=$library/pkgconfig
flags=(-std=c17 -Wall -Wextra -Wpedantic -Werror)
"$c_compiler" "${flags[@]}" "$here/program.c" $(pkg-config --cflags --libs cairn) -o "$work/shared"
runs_and_says_version env LD_LIBRARY_PATH="$library" "$work/shared"
"$c_compiler" "${flags[@]}" "$here/program.c" $(pkg-config --cflags cairn) "$library/libcairn.a" \
    $(pkg-config --static --libs-only-l cairn | sed 's/-lcairn//') -o "$work/static"
runs_and_says_version "$work/static"

# find_package, from C++, both targets.
cmake -S "$here/consumer" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$tree" -DCAIRN_VERSION="$version" \
    -DCMAKE_CXX_COMPILER="$cxx_compiler" >"$work/consumer.log" 2>&1 ||
    { cat "$work/consumer.log" >&2 && fail "find_package(cairn) failed"; }
cmake --build "$work/consumer" >>"$work/consumer.log" 2>&1 ||
    { cat "$work/consumer.log" >&2 && fail "the C++ programs do not build"; }
runs_and_says_version "$work/consumer/with_shared"
runs_and_says_version "$work/consumer/with_static"
