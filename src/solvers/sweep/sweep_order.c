// sweep_order.c - which blocks a sweep visits, in which order: shuffled, or without frozen blocks.
//
// docs/theory/solvers/nsgs.md (11).
#include "solvers/sweep/sweep_order.h"

#include "cairn/random.h"

// A block whose step is shorter than this share of the mean step contributes less than its square,
// 1e-4, of the mean block's contribution to the squared error.
#define MOVING_SHARE 0.01

// Fisher-Yates shuffle: all orders are equally likely, up to 2^-64 times the number of blocks.
static void shuffle(int count, int seed, int* order) {
    CnRandom random = {.state = (uint64_t)seed};
    for (int i = count - 1; i > 0; --i) {
        int k = (int)(cn_random_next(&random) % (uint64_t)(i + 1));
        int kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
}

CnStatus cn_sweep_order_init(CnSweepOrder* order, int block_count, int seed, int freeze_after,
                             CnArena* arena) {
    *order = (CnSweepOrder){
        .block_count = block_count,
        .order = CN_ARENA_NEW(arena, int, block_count),
        .freeze_after = freeze_after,
        .rest = CN_ARENA_NEW(arena, int, block_count),
    };
    if (order->order == NULL || order->rest == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < block_count; ++i) {
        order->order[i] = i;
    }
    if (seed != 0) {
        shuffle(block_count, seed, order->order);
    }
    return CN_OK;
}

void cn_sweep_order_begin(CnSweepOrder* order, double step_square) {
    order->least_square = MOVING_SHARE * MOVING_SHARE * step_square / order->block_count;
}

bool cn_sweep_order_skips(CnSweepOrder* order, int block) {
    if (order->rest[block] >= 0) {
        return false;
    }
    ++order->rest[block];
    ++order->spared;
    return true;
}

void cn_sweep_order_note(CnSweepOrder* order, int block, double step_square) {
    int still = step_square <= order->least_square ? order->rest[block] + 1 : 0;
    bool freezes = order->freeze_after > 0 && still >= order->freeze_after;
    order->rest[block] = freezes ? -order->freeze_after : still;
}
