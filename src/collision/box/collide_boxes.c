// collide_boxes.c - contact points of many pairs of boxes, several at a time.
#include "base/fetch.h"
#include "collision/box/box_block.h"
#include "collision/hull/polyhedron_pairs.h"
#include "math/simd.h"

// What is done with registers of one width.
typedef struct Width {
    void (*collide)(CnBoxBlock* block, CnBoxBlock* waiting);
    void (*flush)(CnBoxBlock* waiting);
    unsigned (*find_apart)(const CnBoxPair pairs[CN_ROUGH_BLOCK]);
} Width;

static Width widest(void) {
    return (Width){CN_WIDEST(cn_box_block), CN_WIDEST(cn_box_flush), CN_WIDEST(cn_boxes_apart)};
}

// Pairs on their way through the lanes.
typedef struct BoxBatch {
    Width width;
    CnBoxBlock block, waiting;
    int fruitless; // looks for pairs surely apart since one found some, or left out
} BoxBatch;

// Lanes that stay empty repeat the first pair.
static void finish_block(BoxBatch* batch) {
    CnBoxBlock* block = &batch->block;
    for (int i = block->count; i < CN_BLOCK; ++i) {
        block->boxes[0][i] = block->boxes[0][0];
        block->boxes[1][i] = block->boxes[1][0];
        block->margin[i] = block->margin[0];
    }
    if (block->count > 0) {
        batch->width.collide(block, &batch->waiting);
    }
    block->count = 0;
}

static void add(BoxBatch* batch, const CnBoxPair* pair, CnBoxContact* contact) {
    CnBoxBlock* block = &batch->block;
    int i = block->count++;
    block->boxes[0][i] = pair->a;
    block->boxes[1][i] = pair->b;
    block->margin[i] = pair->margin;
    block->contacts[i] = contact;
    if (block->count == CN_BLOCK) {
        finish_block(batch);
    }
}

// Prefetch boxes before they are loaded: centre and axes, two cache lines or three.
static void fetch(const CnBoxPair* pair) {
    cn_fetch(&pair->a->center);
    cn_fetch(&pair->a->axes[1]);
    cn_fetch(&pair->b->center);
    cn_fetch(&pair->b->axes[1]);
}

// The test whether pairs are certainly apart costs a seventh of a contact: after one that found
// none, the next seven are skipped. Results do not depend on it.
#define LEFT_OUT 7

static bool looks_next(const BoxBatch* batch) {
    return batch->fruitless % (1 + LEFT_OUT) == 0;
}

// Those of a few pairs that may meet, one bit each.
static unsigned find_near(BoxBatch* batch, const CnBoxPair* pairs, int count) {
    unsigned all = (1u << count) - 1, near = all;
    if (count == CN_ROUGH_BLOCK && looks_next(batch)) {
        near &= ~batch->width.find_apart(pairs);
    }
    batch->fruitless = near == all ? batch->fruitless + 1 : 0;
    return near;
}

void cn_collide_boxes(const CnBoxPair* pairs, int count, CnBoxContact* contacts) {
    BoxBatch batch;
    batch.width = widest();
    batch.fruitless = 0;
    cn_box_block_start(&batch.block);
    cn_box_block_start(&batch.waiting);
    for (int begin = 0; begin < count; begin += CN_ROUGH_BLOCK) {
        int end = begin + CN_ROUGH_BLOCK < count ? begin + CN_ROUGH_BLOCK : count;
        int next = end + CN_ROUGH_BLOCK < count ? end + CN_ROUGH_BLOCK : count;
        unsigned near = find_near(&batch, &pairs[begin], end - begin);
        for (int i = end; i < next && looks_next(&batch); ++i) {
            fetch(&pairs[i]);
        }
        for (int i = begin; i < end; ++i) {
            contacts[i].count = 0;
        }
        for (; near != 0; near &= near - 1) {
            int i = begin + __builtin_ctz(near);
            add(&batch, &pairs[i], &contacts[i]);
            if (i + CN_ROUGH_BLOCK < count) {
                fetch(&pairs[i + CN_ROUGH_BLOCK]);
            }
        }
    }
    finish_block(&batch);
    batch.width.flush(&batch.waiting);
}

// As polyhedra of any kind.
void cn_box_points_of_disjoint(const CnBoxBlock* found, int i, int first) {
    CnBoxContact* contact = found->contacts[i];
    contact->count = cn_collide_in_order(found->boxes[first][i], found->boxes[1 - first][i],
                                         first != 0, found->margin[i], contact->points);
}
