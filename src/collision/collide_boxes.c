// collide_boxes.c - contact points of many pairs of boxes, several at a time.
#include "collision/apart.h"
#include "collision/box_points.h"

CnPlacedBox cn_box_place(CnPlacedShape box) {
    return (CnPlacedBox){
        .axes = cn_mat3_from_quat(box.pose.rotation),
        .half = box.shape->half_size,
        .center = box.pose.position,
        .size = box.shape->extent,
        .placed = box,
    };
}

// The widest registers that there are.
static void work(CnBoxBlock* block) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        cn_box_block_256(block);
        return;
    }
#endif
    cn_box_block_128(block);
}

// What half of a box reaches along a direction [m times the direction's length].
static double reach_along(const CnPlacedBox* box, CnVec3 direction) {
    CnVec3 seen = cn_mat3_apply_transposed(&box->axes, direction);
    return box->half.x * fabs(seen.x) + box->half.y * fabs(seen.y) + box->half.z * fabs(seen.z);
}

static bool remembers(const CnPairMemory* memory) {
    return memory != NULL &&
           (memory->axis[0] != 0.0f || memory->axis[1] != 0.0f || memory->axis[2] != 0.0f);
}

// docs/theory/sat.md (11), squared: whether the pair is still apart along the direction that it
// remembers, of whatever length.
static bool is_still_apart(const CnBoxPair* pair) {
    const CnPlacedBox *a = pair->a, *b = pair->b;
    const float* axis = pair->memory->axis;
    CnVec3 direction = cn_vec3((double)axis[0], (double)axis[1], (double)axis[2]);
    CnVec3 between = cn_vec3_sub(b->center, a->center);
    double along = fabs(cn_vec3_dot(direction, between));
    double apart = along - (reach_along(a, direction) + reach_along(b, direction));
    double needed = pair->margin + CN_APART_SLACK * (along + a->size + b->size);
    return apart > 0.0 && apart * apart > needed * needed * cn_vec3_dot(direction, direction);
}

// The axis that parts the pair, as a direction in the world from A to B.
static void remember(const CnBoxBlock* found, int i, CnPairMemory* memory) {
    const CnPlacedBox *a = found->a[i], *b = found->b[i];
    bool reversed = found->reversed[i] != 0.0;
    const CnPlacedBox *first = reversed ? b : a, *second = reversed ? a : b;
    int axis = (int)found->axis[i];
    CnVec3 n;
    if (axis < 6) {
        n = axis < 3 ? cn_box_axis(first, axis) : cn_box_axis(second, axis - 3);
    } else {
        n = cn_vec3_cross(cn_box_axis(first, axis / 3 - 2), cn_box_axis(second, axis % 3));
    }
    n = cn_vec3_dot(n, cn_vec3_sub(b->center, a->center)) < 0.0 ? cn_vec3_negate(n) : n;
    *memory = (CnPairMemory){{(float)n.x, (float)n.y, (float)n.z}};
}

// Pairs on their way through the lanes.
typedef struct Batch {
    CnBoxBlock block;
    const CnBoxPair* pairs[CN_BLOCK]; // [block.count]
    CnBoxContact* contacts[CN_BLOCK]; // [block.count]
} Batch;

static void finish(Batch* batch) {
    CnBoxBlock* block = &batch->block;
    if (block->count == 0) {
        return;
    }
    for (int i = block->count; i < CN_BLOCK; ++i) { // lanes that stay empty
        block->a[i] = block->a[0];
        block->b[i] = block->b[0];
        block->margin[i] = block->margin[0];
    }
    work(block);
    for (int i = 0; i < block->count; ++i) {
        CnPairMemory* memory = batch->pairs[i]->memory;
        if (block->meeting[i] != CN_BOXES_APART) {
            batch->contacts[i]->count = cn_box_points(block, i, batch->contacts[i]->points);
        } else if (memory != NULL) {
            remember(block, i, memory);
        }
    }
    block->count = 0;
}

static void add(Batch* batch, const CnBoxPair* pair, CnBoxContact* contact) {
    int i = batch->block.count++;
    batch->pairs[i] = pair;
    batch->contacts[i] = contact;
    batch->block.a[i] = pair->a;
    batch->block.b[i] = pair->b;
    batch->block.margin[i] = pair->margin;
    if (batch->block.count == CN_BLOCK) {
        finish(batch);
    }
}

// The lanes load both cache lines of all their boxes at once; it helps if they are on their way.
static void fetch(const CnBoxPair* pair) {
    __builtin_prefetch(&pair->a->axes);
    __builtin_prefetch(&pair->a->size);
    __builtin_prefetch(&pair->b->axes);
    __builtin_prefetch(&pair->b->size);
}

void cn_collide_boxes(const CnBoxPair* pairs, int count, CnBoxContact* contacts) {
    Batch batch;
    batch.block.count = 0;
    for (int i = 0; i < count; ++i) {
        contacts[i].count = 0;
        if (i + CN_BLOCK < count) {
            fetch(&pairs[i + CN_BLOCK]);
        }
        bool known = remembers(pairs[i].memory);
        if (known && is_still_apart(&pairs[i])) {
            continue;
        }
        if (known) {
            *pairs[i].memory = (CnPairMemory){0};
        }
        add(&batch, &pairs[i], &contacts[i]);
    }
    finish(&batch);
}
