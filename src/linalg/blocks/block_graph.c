// block_graph.c - the pattern of a block matrix from a list of coupled pairs.
#include "linalg/blocks/block_graph.h"

// Sorts pairs by one of their ends, keeping the order of those that share it. `by` is the key of
// each pair; from and to hold indices of pairs; next is scratch   [block_count + 1]
static void sort_by(int block_count, int pair_count, const int* by, const int* from, int* to,
                    int* next) {
    for (int b = 0; b <= block_count; ++b) {
        next[b] = 0;
    }
    for (int i = 0; i < pair_count; ++i) {
        ++next[by[from[i]] + 1];
    }
    for (int b = 0; b < block_count; ++b) {
        next[b + 1] += next[b];
    }
    for (int i = 0; i < pair_count; ++i) {
        to[next[by[from[i]]]++] = from[i];
    }
}

// Sorted by the larger end and then, stably, by the smaller one, every block's list ascends.
CnStatus cn_block_graph_from_pairs(int block_count, int pair_count, const int* first,
                                   const int* second, CnArena* arena, CnBlockGraph* graph) {
    int* low = CN_ARENA_NEW(arena, int, pair_count);
    int* high = CN_ARENA_NEW(arena, int, pair_count);
    int* given = CN_ARENA_NEW(arena, int, pair_count);
    int* sorted = CN_ARENA_NEW(arena, int, pair_count);
    int* next = CN_ARENA_NEW(arena, int, (size_t)block_count + 1);
    *graph = (CnBlockGraph){
        .block_count = block_count,
        .start = CN_ARENA_NEW(arena, int, (size_t)block_count + 1),
        .neighbor = CN_ARENA_NEW(arena, int, pair_count),
    };
    if (low == NULL || high == NULL || given == NULL || sorted == NULL || next == NULL ||
        graph->start == NULL || graph->neighbor == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < pair_count; ++i) {
        low[i] = first[i] < second[i] ? first[i] : second[i];
        high[i] = first[i] < second[i] ? second[i] : first[i];
        given[i] = i;
    }
    sort_by(block_count, pair_count, high, given, sorted, next);
    sort_by(block_count, pair_count, low, sorted, given, next);
    int used = 0;
    for (int i = 0, b = 0; b < block_count; ++b) {
        int last = b; // a pair with itself is skipped like a duplicate
        for (; i < pair_count && low[given[i]] == b; ++i) {
            if (high[given[i]] != last) {
                last = high[given[i]];
                graph->neighbor[used++] = last;
            }
        }
        graph->start[b + 1] = used;
    }
    return CN_OK;
}
