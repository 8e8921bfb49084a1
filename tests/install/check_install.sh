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

# exported LIBRARY, needed LIBRARY: the names that it offers, the libraries that it loads.
exported() {
    nm --dynamic --defined-only --format=posix "$1" | awk '{print $1}'
}
needed() {
    readelf --dynamic --wide "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
}

# The shared library: its version is in its name, it exports our names only, and it needs the C
# library and AMD, no more.
[ -e "$library/libcairn.so.$version" ] || fail "libcairn.so.$version is missing"
foreign=$(exported "$library/libcairn.so" | grep -v '^cn_' || true)
[ -z "$foreign" ] || fail "exported, but not ours:" $foreign
foreign=$(needed "$library/libcairn.so" | grep -vE '^(libc|libm|libpthread|libamd|ld-linux[a-z0-9_-]*)\.so' || true)
[ -z "$foreign" ] || fail "libcairn.so needs" $foreign

# That of FCLib files exports what its header says, and finds the first beside it.
has_hdf5=
if [ -e "$library/libcairn_hdf5.so" ]; then
    has_hdf5=1
    [ -e "$library/libcairn_hdf5.so.$version" ] || fail "libcairn_hdf5.so.$version is missing"
    offered=$(exported "$library/libcairn_hdf5.so" | sort | tr '\n' ' ')
    [ "$offered" = "cn_fclib_load cn_fclib_save " ] || fail "libcairn_hdf5.so exports $offered"
    needed "$library/libcairn_hdf5.so" | grep -q '^libcairn\.so' || fail "libcairn_hdf5.so does not need libcairn"
fi

# What people read and use: documents, scenes with their schema, examples, man pages, completion.
for file in share/doc/cairn/README.md share/doc/cairn/scene.md share/doc/cairn/manual/command-line.md \
    share/doc/cairn/examples share/cairn/scenes/scene.schema.json share/man/man1/cairn.1 \
    share/man/man1/cairn-run.1 share/bash-completion/completions/cairn; do
    [ -e "$tree/$file" ] || fail "$file is missing"
done
staged=$work/staged
DESTDIR=$staged cmake --install "$build" --prefix /usr >/dev/null
[ -e "$staged/usr/share/man/man1/cairn-check.1" ] || fail "DESTDIR is not kept to"
"$staged/usr/bin/cairn" run "$staged/usr/share/cairn/scenes/supports/table.json" --duration 0.01 --quiet >/dev/null ||
    fail "an installed scene does not run"

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
problem=$here/../problems/fclib/gen_soup-s00080-44.hdf5
if [ -n "$has_hdf5" ]; then
    "$c_compiler" "${flags[@]}" "$here/fclib_program.c" $(pkg-config --cflags --libs cairn_hdf5) -o "$work/fclib"
    runs_and_says_version env LD_LIBRARY_PATH="$library" "$work/fclib" "$problem" "$work/copy.hdf5"
fi

# find_package, from C and C++, all targets.
cmake -S "$here/consumer" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$tree" -DCAIRN_VERSION="$version" \
    -DCAIRN_HAS_HDF5="$has_hdf5" -DCMAKE_C_COMPILER="$c_compiler" -DCMAKE_CXX_COMPILER="$cxx_compiler" >"$work/consumer.log" 2>&1 ||
    { cat "$work/consumer.log" >&2 && fail "find_package(cairn) failed"; }
cmake --build "$work/consumer" >>"$work/consumer.log" 2>&1 ||
    { cat "$work/consumer.log" >&2 && fail "the programs do not build"; }
for kind in shared static; do
    runs_and_says_version "$work/consumer/with_$kind"
    runs_and_says_version "$work/consumer/c_with_$kind"
done
if [ -n "$has_hdf5" ]; then
    for kind in hdf5 hdf5_static; do
        runs_and_says_version "$work/consumer/with_$kind" "$problem" "$work/copy.hdf5"
    done
fi
