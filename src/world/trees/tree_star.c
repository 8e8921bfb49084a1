// tree_star.c - W of loops that are mostly held by links of their own, factored loop by loop.
//
// W = L L^T + Y_s Y_s^T, with L a factor for each loop and Y_s the few axes that several loops
// share: the legs of a platform meet in its six. docs/theory/mechanisms.md (40), (41).
#include "math/simd.h"
#include "world/trees/tree_store.h"

#include <string.h>

void cn_loop_star_plan(CnJointTree* tree) {
    CnLoopStar* star = &tree->loops.star;
    int *loop_at = star->loop_at, count = 0;
    memset(loop_at, -1, (size_t)tree->link_count * sizeof *loop_at);
    for (int i = 0; i < tree->loops.count; ++i) {
        for (int side = 0; side < 2; ++side) {
            for (int link = tree->loops.loops[i].end[side]; link >= 0; link = tree->parent[link]) {
                loop_at[link] = loop_at[link] == -1 || loop_at[link] == i ? i : -2;
            }
        }
    }
    for (int i = 0; i < tree->loops.count; ++i) {
        star->first_own[i] = count;
        for (int link = 0; link < tree->link_count; ++link) {
            if (loop_at[link] == i) {
                star->own_link[count++] = link;
            }
        }
    }
    star->first_own[tree->loops.count] = count;
}

// Lists the axes that several loops share. False: too many.
static bool list_shared(CnJointTree* tree) {
    CnLoopStar* star = &tree->loops.star;
    star->shared_count = 0;
    for (int link = 0; link < tree->link_count; ++link) {
        int end = tree->first_axis[link + 1];
        for (int axis = tree->first_axis[link]; star->loop_at[link] == -2 && axis < end; ++axis) {
            if (star->shared_count == CN_STAR_AXES) {
                return false;
            }
            star->shared[star->shared_count++] = axis;
        }
    }
    return true;
}

bool cn_loop_star_factor(CnJointTree* tree) {
    return list_shared(tree) && CN_WIDEST(cn_loop_passes)->factor_star(tree);
}

void cn_loop_star_solve(const CnTreeLoops* loops, double* x) {
    CN_WIDEST(cn_loop_passes)->solve_star(loops, x);
}
