// tree_star_plain.c - a star of loops, one number after the other: mechanisms.md (40), (41).
//
// The reference of tree_star_lanes.h, to the bit: sums along rows of T are four, of the axes whose
// places are equal modulo four.
#include "world/trees/tree_store.h"

#include <math.h>
#include <string.h>

#define SUMS CN_LINKAGE_ROWS

static double add_four(const double sum[SUMS]) {
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// Y_l Y_l^T of a loop: along axes that only its paths lead over.
static void set_own(CnJointTree* tree, int index) {
    const CnLoopStar* star = &tree->loops.star;
    const CnTreeLoop* loop = &tree->loops.loops[index];
    double(*own)[CN_LOOP_LANES] = star->own[index];
    memset(own, 0, (size_t)loop->joint.row_count * sizeof *own);
    for (int at = star->first_own[index]; at < star->first_own[index + 1]; ++at) {
        int link = star->own_link[at];
        for (int axis = tree->first_axis[link]; axis < tree->first_axis[link + 1]; ++axis) {
            const double* y = loop->y + axis * loop->lanes;
            for (int i = 0; i < loop->joint.row_count; ++i) {
                for (int k = 0; k < loop->joint.row_count; ++k) {
                    own[i][k] += y[i] * y[k];
                }
            }
        }
    }
}

// Y_s of a loop, one row after the other; zeros beyond the last axis.
static void list_reply(const CnLoopStar* star, const CnTreeLoop* loop,
                       double (*reply)[CN_STAR_AXES]) {
    for (int i = 0; i < loop->joint.row_count; ++i) {
        memset(reply[i], 0, sizeof reply[i]);
        for (int k = 0; k < star->shared_count; ++k) {
            reply[i][k] = loop->y[star->shared[k] * loop->lanes + i];
        }
    }
}

// A = L L^T in place, the inverse of the diagonal on it. False: a pivot is below its least.
static bool factor_small(int n, int stride, double* a, const double* least) {
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = a[i * stride + j];
            for (int k = 0; k < j; ++k) {
                sum -= a[i * stride + k] * a[j * stride + k];
            }
            if (i == j && !(sum > least[i] && sum < HUGE_VAL)) {
                return false;
            }
            a[i * stride + j] = i == j ? 1.0 / sqrt(sum) : sum * a[j * stride + j];
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

// L of a loop. It must leave a share of the diagonal of W, of which squares of Y_s are a part.
static bool factor_own(int rows, double (*own)[CN_LOOP_LANES],
                       const double (*reply)[CN_STAR_AXES]) {
    double least[CN_MAX_ROWS];
    for (int i = 0; i < rows; ++i) {
        double sum[SUMS] = {0.0};
        for (int k = 0; k < CN_STAR_AXES; ++k) {
            sum[k % SUMS] += reply[i][k] * reply[i][k];
        }
        least[i] = CN_STAR_SHARE * (own[i][i] + add_four(sum));
    }
    return factor_small(rows, CN_LOOP_LANES, own[0], least);
}

// T = L^-1 Y_s, axis by axis.
static void solve_reply(int rows, const double (*own)[CN_LOOP_LANES],
                        double (*reply)[CN_STAR_AXES]) {
    for (int k = 0; k < CN_STAR_AXES; ++k) {
        for (int i = 0; i < rows; ++i) {
            for (int j = 0; j < i; ++j) {
                reply[i][k] -= own[i][j] * reply[j][k];
            }
            reply[i][k] *= own[i][i];
        }
    }
}

// 1 + T^T T
static void set_whole(CnTreeLoops* loops) {
    CnLoopStar* star = &loops->star;
    for (int i = 0; i < star->shared_count; ++i) {
        for (int k = 0; k < star->shared_count; ++k) {
            double sum = 0.0;
            for (int row = 0; row < loops->row_count; ++row) {
                sum += star->reply[row][i] * star->reply[row][k];
            }
            star->whole[i][k] = sum + (i == k ? 1.0 : 0.0);
        }
    }
}

static bool factor_star(CnJointTree* tree) {
    const double zero[CN_STAR_AXES] = {0.0};
    CnTreeLoops* loops = &tree->loops;
    CnLoopStar* star = &loops->star;
    for (int i = 0; i < loops->count; ++i) {
        const CnTreeLoop* loop = &loops->loops[i];
        double(*reply)[CN_STAR_AXES] = star->reply + loop->first_row;
        set_own(tree, i);
        list_reply(star, loop, reply);
        if (!factor_own(loop->joint.row_count, star->own[i],
                        (const double(*)[CN_STAR_AXES])reply)) {
            return false;
        }
        solve_reply(loop->joint.row_count, (const double(*)[CN_LOOP_LANES])star->own[i], reply);
    }
    set_whole(loops);
    return factor_small(star->shared_count, CN_STAR_AXES, star->whole[0], zero);
}

// x = L^-T (1 - T (1 + T^T T)^-1 T^T) L^-1 x
static void solve_star(const CnTreeLoops* loops, double* x) {
    const CnLoopStar* star = &loops->star;
    double shared[CN_STAR_AXES] = {0.0};
    for (int i = 0; i < loops->count; ++i) {
        const CnTreeLoop* loop = &loops->loops[i];
        solve_lower(loop->joint.row_count, CN_LOOP_LANES, star->own[i][0], x + loop->first_row);
    }
    for (int row = 0; row < loops->row_count; ++row) {
        for (int k = 0; k < star->shared_count; ++k) {
            shared[k] += x[row] * star->reply[row][k];
        }
    }
    solve_lower(star->shared_count, CN_STAR_AXES, star->whole[0], shared);
    solve_upper(star->shared_count, CN_STAR_AXES, star->whole[0], shared);
    for (int row = 0; row < loops->row_count; ++row) {
        double sum[SUMS] = {0.0};
        for (int k = 0; k < star->shared_count; ++k) {
            sum[k % SUMS] += shared[k] * star->reply[row][k];
        }
        x[row] -= add_four(sum);
    }
    for (int i = 0; i < loops->count; ++i) {
        const CnTreeLoop* loop = &loops->loops[i];
        solve_upper(loop->joint.row_count, CN_LOOP_LANES, star->own[i][0], x + loop->first_row);
    }
}

// The diagonal of W of a loop's rows: sums of squares along all axes.
static void find_responses(const CnTreeLoop* loop, int axes, double* response) {
    for (int i = 0; i < loop->lanes; ++i) {
        response[i] = 0.0;
        for (int k = 0; k < axes; ++k) {
            response[i] += loop->y[k * loop->lanes + i] * loop->y[k * loop->lanes + i];
        }
    }
}

// Y^T p of a loop's rows, four of them at a time.
static void add_along(const CnTreeLoop* loop, int axes, const double impulse[CN_LOOP_LANES],
                      double* along) {
    for (int first = 0; first < loop->lanes; first += SUMS) {
        for (int k = 0; k < axes; ++k) {
            double part[SUMS];
            for (int i = 0; i < SUMS; ++i) {
                part[i] = impulse[first + i] * loop->y[k * loop->lanes + first + i];
            }
            along[k] += add_four(part);
        }
    }
}

const CnLoopPasses cn_loop_passes_plain = {
    .factor_star = factor_star,
    .solve_star = solve_star,
    .find_responses = find_responses,
    .add_along = add_along,
};
