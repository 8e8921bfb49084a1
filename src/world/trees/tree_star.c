// tree_star.c - W of loops that are mostly held by links of their own, factored loop by loop.
//
// W = L L^T + Y_s Y_s^T, with L a factor for each loop and Y_s the few axes that several loops
// share: the legs of a platform meet in its six. docs/theory/mechanisms.md (40), (41).
#include "world/trees/tree_store.h"

#include <math.h>
#include <string.h>

// Of the diagonal of W: what the axes of a loop itself must leave of each of its rows. The solution
// loses as much by cancellation as this is below one.
#define OWN_SHARE 0x1p-6

void cn_loop_star_plan(CnJointTree* tree) {
    int* loop_at = tree->loops.star.loop_at;
    memset(loop_at, -1, (size_t)tree->link_count * sizeof *loop_at);
    for (int i = 0; i < tree->loops.count; ++i) {
        for (int side = 0; side < 2; ++side) {
            for (int link = tree->loops.loops[i].end[side]; link >= 0; link = tree->parent[link]) {
                loop_at[link] = loop_at[link] == -1 || loop_at[link] == i ? i : -2;
            }
        }
    }
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

// The own part of W of a loop: that of axes which only its paths lead over.
static void add_own(const CnJointTree* tree, int loop, double (*w)[CN_MAX_ROWS]) {
    const CnTreeLoop* it = &tree->loops.loops[loop];
    size_t axes = (size_t)tree->links.axis_count;
    const double* y = tree->loops.y + (size_t)it->first_row * axes;
    for (int link = 0; link < tree->link_count; ++link) {
        int end = tree->first_axis[link + 1];
        bool is_own = tree->loops.star.loop_at[link] == loop;
        for (int k = tree->first_axis[link]; is_own && k < end; ++k) {
            for (int i = 0; i < it->joint.row_count; ++i) {
                for (int j = 0; j <= i; ++j) {
                    w[i][j] += y[(size_t)i * axes + (size_t)k] * y[(size_t)j * axes + (size_t)k];
                }
            }
        }
    }
}

// A = L L^T in place, the inverse of the diagonal on it. least: of each pivot. False: one is less.
static bool factor_small(int n, int stride, double* a, const double* least) {
    for (int i = 0; i < n; ++i) {
        double* row = a + i * stride;
        for (int j = 0; j <= i; ++j) {
            const double* other = a + j * stride;
            double sum = row[j];
            for (int k = 0; k < j; ++k) {
                sum -= row[k] * other[k];
            }
            if (j == i && !(sum > least[i] && sum < HUGE_VAL)) {
                return false;
            }
            row[j] = j == i ? 1.0 / sqrt(sum) : sum * other[j];
        }
    }
    return true;
}

// x = L^-1 x, and x = L^-T x.
static void solve_lower(int n, int stride, const double* l, double* x) {
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < i; ++k) {
            x[i] -= l[i * stride + k] * x[k];
        }
        x[i] *= l[i * stride + i];
    }
}

static void solve_upper(int n, int stride, const double* l, double* x) {
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k) {
            x[i] -= l[k * stride + i] * x[k];
        }
        x[i] *= l[i * stride + i];
    }
}

// L of a loop, and its rows of T = L^-1 Y_s.
static bool factor_loop(CnJointTree* tree, int loop) {
    CnLoopStar* star = &tree->loops.star;
    const CnTreeLoop* it = &tree->loops.loops[loop];
    int rows = it->joint.row_count, shared = star->shared_count;
    double(*own)[CN_MAX_ROWS] = star->own[loop];
    double least[CN_MAX_ROWS], *reply = star->reply + it->first_row * CN_STAR_AXES;
    memset(own, 0, sizeof *star->own);
    memset(reply, 0, (size_t)(rows * CN_STAR_AXES) * sizeof(double));
    add_own(tree, loop, own);
    for (int i = 0; i < rows; ++i) {
        const double* y = tree->loops.y + (it->first_row + i) * tree->links.axis_count;
        double sum = own[i][i];
        for (int k = 0; k < shared; ++k) {
            reply[i * CN_STAR_AXES + k] = y[star->shared[k]];
            sum += reply[i * CN_STAR_AXES + k] * reply[i * CN_STAR_AXES + k];
        }
        least[i] = OWN_SHARE * sum;
    }
    if (!factor_small(rows, CN_MAX_ROWS, own[0], least)) {
        return false;
    }
    for (int i = 0; i < rows; ++i) { // all columns at once
        for (int j = 0; j < i; ++j) {
            for (int k = 0; k < shared; ++k) {
                reply[i * CN_STAR_AXES + k] -= own[i][j] * reply[j * CN_STAR_AXES + k];
            }
        }
        for (int k = 0; k < shared; ++k) {
            reply[i * CN_STAR_AXES + k] *= own[i][i];
        }
    }
    return true;
}

// 1 + T^T T
static void set_whole(CnTreeLoops* loops) {
    CnLoopStar* star = &loops->star;
    int shared = star->shared_count;
    for (int i = 0; i < shared; ++i) {
        double sum[CN_STAR_AXES] = {0.0};
        for (int row = 0; row < loops->row_count; ++row) {
            const double* t = star->reply + row * CN_STAR_AXES;
            for (int j = 0; j < CN_STAR_AXES; ++j) {
                sum[j] += t[i] * t[j];
            }
        }
        sum[i] += 1.0;
        memcpy(star->whole[i], sum, sizeof sum);
    }
}

bool cn_loop_star_factor(CnJointTree* tree) {
    CnTreeLoops* loops = &tree->loops;
    CnLoopStar* star = &loops->star;
    const double zero[CN_STAR_AXES] = {0.0};
    if (!list_shared(tree)) {
        return false;
    }
    for (int i = 0; i < loops->count; ++i) {
        if (!factor_loop(tree, i)) {
            return false;
        }
    }
    set_whole(loops);
    return factor_small(star->shared_count, CN_STAR_AXES, star->whole[0], zero);
}

void cn_loop_star_solve(const CnTreeLoops* loops, double* x) {
    const CnLoopStar* star = &loops->star;
    int shared = star->shared_count;
    double sum[CN_STAR_AXES] = {0.0};
    for (int i = 0; i < loops->count; ++i) {
        const CnTreeLoop* loop = &loops->loops[i];
        solve_lower(loop->joint.row_count, CN_MAX_ROWS, star->own[i][0], x + loop->first_row);
    }
    for (int row = 0; row < loops->row_count; ++row) {
        for (int k = 0; k < shared; ++k) {
            sum[k] += star->reply[row * CN_STAR_AXES + k] * x[row];
        }
    }
    solve_lower(shared, CN_STAR_AXES, star->whole[0], sum);
    solve_upper(shared, CN_STAR_AXES, star->whole[0], sum);
    for (int row = 0; row < loops->row_count; ++row) {
        for (int k = 0; k < shared; ++k) {
            x[row] -= star->reply[row * CN_STAR_AXES + k] * sum[k];
        }
    }
    for (int i = 0; i < loops->count; ++i) {
        const CnTreeLoop* loop = &loops->loops[i];
        solve_upper(loop->joint.row_count, CN_MAX_ROWS, star->own[i][0], x + loop->first_row);
    }
}
