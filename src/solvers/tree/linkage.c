// linkage.c - dynamics of a tree of bodies in linear time: factor, solve, response of further rows.
#include "solvers/tree/linkage.h"

#include "math/simd.h"

#include <math.h>

// The pass goes from the last link to the first. A link with children needs a slot from its last
// child on, which is the first one passed, until it is passed itself; then the slot is free for
// another link. False: no memory.
static bool give_slots(CnLinkage* links, CnArena* arena) {
    int* slot = CN_ARENA_RAW(arena, int, links->link_count);
    CnArenaMark mark = cn_arena_mark(arena);
    int* given_back = CN_ARENA_RAW(arena, int, links->link_count);
    int back_count = 0, count = 0;
    for (int i = links->link_count - 1; slot != NULL && given_back != NULL && i >= 0; --i) {
        int parent = links->parent[i];
        if (links->last_child[i] >= 0) {
            given_back[back_count++] = slot[i];
        }
        if (parent >= 0 && links->last_child[parent] == i) {
            slot[parent] = back_count > 0 ? given_back[--back_count] : count++;
        }
    }
    bool has_memory = slot != NULL && given_back != NULL;
    cn_arena_release(arena, mark);
    links->slot = slot;
    links->pending = cn_arena_allocate_raw(arena, (size_t)count, sizeof *links->pending);
    return has_memory && links->pending != NULL;
}

CnStatus cn_linkage_init(CnLinkage* links, int link_count, const int* parent, const int* first_axis,
                         CnArena* arena) {
    int axes = first_axis[link_count];
    *links = (CnLinkage){
        .link_count = link_count,
        .axis_count = axes,
        .parent = parent,
        .first_axis = first_axis,
        .last_child = CN_ARENA_RAW(arena, int, link_count),
        .arm = cn_arena_allocate_raw(arena, (size_t)link_count, sizeof *links->arm),
        .axis = cn_arena_allocate_raw(arena, (size_t)axes, sizeof *links->axis),
        .mass = CN_ARENA_RAW(arena, double, link_count),
        .inertia = cn_arena_allocate_raw(arena, (size_t)link_count, sizeof *links->inertia),
        .slope = cn_arena_allocate(arena, (size_t)axes, sizeof *links->slope),
        .whole = cn_arena_allocate_raw(arena, (size_t)link_count, sizeof *links->whole),
        .u = cn_arena_allocate_raw(arena, (size_t)axes, sizeof *links->u),
        .z = cn_arena_allocate_raw(arena, (size_t)axes, sizeof *links->z),
        .inverse = CN_ARENA_RAW(arena, double, axes),
        .pivot = cn_arena_allocate_raw(arena, (size_t)axes, sizeof *links->pivot),
        .scaled = CN_ARENA_RAW(arena, double, axes),
    };
    bool has_memory = links->last_child != NULL && links->arm != NULL && links->axis != NULL &&
                      links->mass != NULL && links->inertia != NULL && links->slope != NULL &&
                      links->whole != NULL && links->u != NULL && links->z != NULL &&
                      links->inverse != NULL && links->pivot != NULL && links->scaled != NULL;
    for (int i = 0; has_memory && i < link_count; ++i) {
        links->last_child[i] = -1;
        if (parent[i] >= 0) {
            links->last_child[parent[i]] = i;
        }
    }
    if (!has_memory || !give_slots(links, arena)) {
        return CN_NO_MEMORY;
    }
    return cn_limbs_find(&links->limbs, link_count, parent, first_axis, links->last_child, arena);
}

// Both sides of a row are each other's reaction up to this share of its entries.
#define REACTION_SHARE 0x1p-40

bool cn_linkage_is_reaction(const double arm[3], const double child[6], const double parent[6]) {
    double moved[6] = {0.0}, size = 0.0;
    cn_linkage_to_parent(arm, child, moved);
    for (int k = 0; k < 6; ++k) { // the sum is above the largest entry, at most twelve times
        size += fabs(child[k]) + fabs(parent[k]);
    }
    bool is_small = true;
    for (int k = 0; k < 6; ++k) {
        is_small = is_small & (fabs(parent[k] + moved[k]) <= REACTION_SHARE * size);
    }
    return is_small;
}

bool cn_linkage_factor(CnLinkage* links) {
    return CN_WIDEST(cn_linkage_passes)->factor(links);
}

void cn_linkage_solve(CnLinkage* links, double (*momentum)[6], const double (*twist)[6],
                      const double* offset, double (*velocity)[6], double* rate) {
    CN_WIDEST(cn_linkage_passes)->solve(links, momentum, twist, offset, velocity, rate);
}

bool cn_linkage_factor_and_solve(CnLinkage* links, const double (*momentum)[6],
                                 const double (*twist)[6], const double* offset,
                                 double (*velocity)[6]) {
    return CN_WIDEST(cn_linkage_passes)->factor_and_solve(links, momentum, twist, offset, velocity);
}

void cn_linkage_push(const CnLinkage* links, int link, const double wrench[6], double* y) {
    CN_WIDEST(cn_linkage_passes)->push(links, link, wrench, y);
}

void cn_linkage_push_rows(const CnLinkage* links, int link, int count, const double (*wrench)[6],
                          int stride, double* y) {
    CN_WIDEST(cn_linkage_passes)->push_rows(links, link, count, wrench, stride, y);
}

void cn_linkage_respond(const CnLinkage* links, const double* y, double (*velocity)[6]) {
    CN_WIDEST(cn_linkage_passes)->respond(links, y, velocity);
}

void cn_linkage_wrenches(const CnLinkage* links, const double (*momentum)[6],
                         const double (*velocity)[6], double (*wrench)[6]) {
    CN_WIDEST(cn_linkage_passes)->find_wrenches(links, momentum, velocity, wrench);
}
