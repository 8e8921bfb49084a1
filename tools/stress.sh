#!/usr/bin/env bash
# stress.sh - random calls, refused memory, spoilt files and a long soak, under sanitizers.
#
#     STRESS_MINUTES  in all, 10 unless given; the soak takes what its steps take
#     STRESS_SEED     the first seed; the hour unless given, so that every run is another
#     STRESS_STEPS    of the soak, 100000 unless given
#
# What is found is told with its seed: the same program, that seed and a count of 1 show it again.
# Exits with 1 when anything was found.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=$((${STRESS_MINUTES:-10} * 60))
seed=${STRESS_SEED:-$(($(date +%s) / 3600))000000}
steps=${STRESS_STEPS:-100000}
programs=build/asan/tests/stress
corpus=tests/fuzz/corpus
many=1000000000
failed=0

# run SHARE PROGRAM ARGUMENTS...: for a share of the time, in percent.
run() {
    local share=$1
    shift
    echo "$* $seed"
    "$@" "$seed" "$many" $((seconds * share / 100 + 1)) || failed=1
}

cmake --preset asan >/dev/null
cmake --build --preset asan --target stress_programs -- --quiet
run 55 $programs/run_api
run 20 $programs/run_memory
run 8 $programs/mutate_json_scene $corpus/json_scene
run 5 $programs/mutate_json_scene scenes
run 4 $programs/mutate_problem $corpus/problem
for kind in mesh heights series hull distance; do
    run 1 $programs/mutate_$kind $corpus/$kind
done
echo "run_soak $steps"
$programs/run_soak "$steps" || failed=1
exit "$failed"
