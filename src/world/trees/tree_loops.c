// tree_loops.c - joints that close the loops of a tree, as rows from outside.
//
// docs/theory/mechanisms.md (30), (31).
#include "math/simd.h"
#include "solvers/tree/machine_parts.h"
#include "world/trees/tree_store.h"

#include <string.h>

// As in `direct`: rows with less left of their response depend on others.
#define LEAST_RESPONSE 0x1p-33

// The rows at both bodies, for joints that keep a point: both sides are each other's reaction.
static void set_rows(CnTreeLoop* loop, const CnBodyState* states) {
    const CnTreeLink* joint = &loop->joint;
    int child = joint->sign > 0.0 ? 1 : 0, other = child == 1 ? joint->body_a : joint->body_b;
    cn_tree_rows(joint, loop->row[child]);
    if (joint->form == CN_FORM_OTHER) {
        memcpy(loop->row[1 - child], joint->rows->other,
               (size_t)joint->row_count * sizeof joint->rows->other[0]);
        return;
    }
    memset(loop->row[1 - child], 0, sizeof loop->row[1 - child]);
    if (other < 0) {
        return;
    }
    CnVec3 r = cn_vec3_sub(states[joint->body].center, states[other].center);
    const double arm[3] = {r.x, r.y, r.z};
    for (int k = 0; k < joint->row_count; ++k) {
        const double* own = loop->row[child][k];
        const double reaction[6] = {-own[0], -own[1], -own[2], -own[3], -own[4], -own[5]};
        cn_linkage_to_parent(arm, reaction, loop->row[1 - child][k]);
    }
}

void cn_tree_set_loop_rows(const CnJointTree* tree, const CnBodyState* states) {
    for (int i = 0; i < tree->loops.count; ++i) {
        set_rows(&tree->loops.loops[i], states);
    }
}

// Y of a loop.
static void push_loop(const CnJointTree* tree, const CnTreeLoop* loop) {
    size_t axes = (size_t)tree->links.axis_count;
    memset(loop->y, 0, axes * (size_t)loop->lanes * sizeof(double));
    for (int side = 0; side < 2; ++side) {
        for (int k = 0; loop->end[side] >= 0 && k < loop->joint.row_count; k += CN_LINKAGE_ROWS) {
            int left = loop->joint.row_count - k;
            cn_linkage_push_rows(&tree->links, loop->end[side],
                                 left < CN_LINKAGE_ROWS ? left : CN_LINKAGE_ROWS,
                                 (const double(*)[6])loop->row[side] + k, loop->lanes, loop->y + k);
        }
    }
}

// Whether a row of a loop moves what the tree leaves free by more than round-off: the share of what
// it would do to its bodies alone, by their masses and the sums of their moments of inertia. A row
// that the tree answers already has round-off for its W, which tells nothing of its dependence.
static bool has_response(const CnJointTree* tree, const CnTreeLoop* loop, int k, double response) {
    const CnLinkage* links = &tree->links;
    double alone = 0.0;
    for (int side = 0; side < 2; ++side) {
        int link = loop->end[side];
        if (link >= 0) {
            const double *j = loop->row[side][k], *inertia = links->inertia[link];
            alone +=
                (j[0] * j[0] + j[1] * j[1] + j[2] * j[2]) / links->mass[link] +
                (j[3] * j[3] + j[4] * j[4] + j[5] * j[5]) / (inertia[0] + inertia[3] + inertia[5]);
        }
    }
    return response > LEAST_RESPONSE * alone;
}

// sum += a times four numbers.
static void add_four(double a, const double* y, double* sum) {
    for (int i = 0; i < CN_LINKAGE_ROWS; ++i) {
        sum[i] += a * y[i];
    }
}

static bool have_responses(const CnJointTree* tree) {
    bool have_responses = true;
    for (int i = 0; i < tree->loops.count; ++i) {
        const CnTreeLoop* loop = &tree->loops.loops[i];
        double response[CN_LOOP_LANES];
        CN_WIDEST(cn_loop_passes)->find_responses(loop, tree->links.axis_count, response);
        for (int k = 0; have_responses && k < loop->joint.row_count; ++k) {
            have_responses = has_response(tree, loop, k, response[k]);
        }
    }
    return have_responses;
}

// The block of W of two loops.
static void set_block(const CnJointTree* tree, const CnTreeLoop* a, const CnTreeLoop* b) {
    int n = tree->loops.row_count, axes = tree->links.axis_count;
    for (int i = 0; i < a->joint.row_count; ++i) {
        double sum[CN_LOOP_LANES] = {0.0};
        for (int k = 0; k < axes; ++k) {
            for (int j = 0; j < b->lanes; j += CN_LINKAGE_ROWS) {
                add_four(a->y[k * a->lanes + i], b->y + k * b->lanes + j, sum + j);
            }
        }
        memcpy(tree->loops.w + (a->first_row + i) * n + b->first_row, sum,
               (size_t)b->joint.row_count * sizeof *sum);
    }
}

bool cn_tree_factor_loops(CnJointTree* tree) {
    CnTreeLoops* loops = &tree->loops;
    if (loops->row_count == 0) {
        return true;
    }
    for (int i = 0; i < loops->count; ++i) {
        push_loop(tree, &loops->loops[i]);
    }
    if (!have_responses(tree)) {
        return false;
    }
    loops->is_star = cn_loop_star_factor(tree);
    if (loops->is_star) {
        return true;
    }
    for (int i = 0; i < loops->count; ++i) {
        for (int j = 0; j <= i; ++j) {
            set_block(tree, &loops->loops[i], &loops->loops[j]);
        }
    }
    cn_dense_ldlt_factor(&loops->ldlt, loops->w);
    return cn_outer_is_independent(&loops->ldlt);
}

// wanted - J V, in `impulse`.
static void find_missing(const CnJointTree* tree, const double (*moved)[6]) {
    const CnTreeLoops* loops = &tree->loops;
    for (int i = 0; i < loops->count; ++i) {
        const CnTreeLoop* loop = &loops->loops[i];
        for (int k = 0; k < loop->joint.row_count; ++k) {
            double rate = 0.0;
            for (int side = 0; side < 2; ++side) {
                rate +=
                    loop->end[side] < 0 ? 0.0 : cn_dot6(loop->row[side][k], moved[loop->end[side]]);
            }
            loops->impulse[loop->first_row + k] = loops->wanted[loop->first_row + k] - rate;
        }
    }
}

// What the impulses give each link, and Y^T p.
static void push_impulses(CnJointTree* tree, double (*pushed)[6]) {
    CnTreeLoops* loops = &tree->loops;
    int axes = tree->links.axis_count;
    memset(loops->along, 0, (size_t)axes * sizeof(double));
    for (int i = 0; i < loops->count; ++i) {
        const CnTreeLoop* loop = &loops->loops[i];
        double all[CN_LOOP_LANES] = {0.0};
        memcpy(all, loops->impulse + loop->first_row, (size_t)loop->joint.row_count * sizeof *all);
        CN_WIDEST(cn_loop_passes)->add_along(loop, axes, all, loops->along);
        for (int k = 0; k < loop->joint.row_count; ++k) {
            double p = all[k];
            for (int side = 0; side < 2; ++side) {
                for (int j = 0; loop->end[side] >= 0 && j < 6; ++j) {
                    pushed[loop->end[side]][j] += p * loop->row[side][k][j];
                }
            }
        }
    }
}

void cn_tree_close_loops(CnJointTree* tree, double (*moved)[6], double (*pushed)[6]) {
    CnTreeLoops* loops = &tree->loops;
    if (loops->row_count == 0) {
        return;
    }
    memset(pushed, 0, (size_t)tree->link_count * sizeof *pushed);
    find_missing(tree, (const double(*)[6])moved);
    if (loops->is_star) {
        cn_loop_star_solve(loops, loops->impulse);
    } else {
        cn_dense_ldlt_solve(&loops->ldlt, loops->impulse, loops->impulse);
    }
    push_impulses(tree, pushed);
    cn_linkage_respond(&tree->links, loops->along, loops->change);
    for (int i = 0; i < tree->link_count; ++i) {
        for (int k = 0; k < 6; ++k) {
            moved[i][k] += loops->change[i][k];
        }
    }
}
