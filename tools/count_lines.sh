#!/usr/bin/env bash
# count_lines.sh - lines of code in each room, without blank lines and lines of comments.
#
#     tools/count_lines.sh [REVISION ...]
#
# One column for each revision, and one for the files as they are. Rooms are the folders of src/ and
# the other folders with code.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Of the tree in a folder: "room lines", a line for each room and one for all.
count() {
    (cd "$1" && find src include cli scenes bench tests examples tools -type f \
        -regex '.*\.\(c\|h\|cpp\|hpp\|py\|sh\)' 2>"$work/missing" | tr '\n' '\0' | xargs -0 awk '
        /^[[:space:]]*(\/\/.*|#|#[^a-z].*)?$/ { next }
        { split(FILENAME, part, "/"); room = part[1] == "src" ? "src/" part[2] : part[1]; print room }
        ') | awk '{ ++sum[$1]; ++all } END { for (room in sum) print room, sum[room]; print "~all", all }'
}

columns=()
for revision in "$@"; do
    mkdir "$work/$revision.tree"
    git archive "$revision" | tar -x -C "$work/$revision.tree"
    count "$work/$revision.tree" >"$work/$revision.count"
    columns+=("$revision")
done
count . >"$work/now.count"
columns+=(now)

printf '%-20s' room
printf '%10s' "${columns[@]}"
printf '\n'
cat "$work"/*.count | cut -d' ' -f1 | sort -u | while read -r room; do
    printf '%-20s' "${room#\~}"
    for column in "${columns[@]}"; do
        printf '%10d' "$(awk -v room="$room" '$1 == room { lines = $2 } END { print lines + 0 }' "$work/$column.count")"
    done
    printf '\n'
done
