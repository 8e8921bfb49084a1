// tree_star_lanes.h - a star of loops, for one width of registers: mechanisms.md (40), (41).
//
// Rows of a loop lie side by side, in one or two groups of four; so do the axes that loops share,
// in one to three. Lanes beyond the last row or axis hold zeros. tree_star_plain.c is the scalar
// reference; tests compare the two bit by bit.
#include "math/lane_vectors.h"
#include "world/trees/tree_store.h"

#include <math.h>

// The own part of W of a loop, column by column: that of axes which only its paths lead over.
CN_LANE_FUNCTION void add_own(const CnJointTree* tree, int loop, const int groups,
                              CnDouble4 w[CN_LOOP_LANES][2]) {
    const CnLoopStar* star = &tree->loops.star;
    const double* y = tree->loops.loops[loop].y;
    for (int i = star->first_own[loop]; i < star->first_own[loop + 1]; ++i) {
        int link = star->own_link[i];
        for (int k = tree->first_axis[link]; k < tree->first_axis[link + 1]; ++k) {
            const double* own = y + k * CN_LINKAGE_ROWS * groups;
            CN_UNROLLED for (int g = 0; g < groups; ++g) {
                CnDouble4 column = cn_double4_load(own + CN_LINKAGE_ROWS * g);
                CN_UNROLLED for (int j = 0; j < CN_LINKAGE_ROWS * groups; ++j) {
                    w[j][g] = w[j][g] + own[j] * column;
                }
            }
        }
    }
}

CN_LANE_FUNCTION void set_own(CnJointTree* tree, int loop, const int groups) {
    CnDouble4 w[CN_LOOP_LANES][2] = {{{0.0}}};
    add_own(tree, loop, groups, w);
    for (int i = 0; i < tree->loops.loops[loop].joint.row_count; ++i) {
        CN_UNROLLED for (int g = 0; g < groups; ++g) {
            cn_double4_store(w[i][g], tree->loops.star.own[loop][i] + CN_LINKAGE_ROWS * g);
        }
    }
}

// Y_s of a loop, one row after the other.
CN_LANE_FUNCTION void list_reply(const CnLoopStar* star, const CnTreeLoop* loop,
                                 double (*reply)[CN_STAR_AXES]) {
    memset(reply, 0, (size_t)loop->joint.row_count * sizeof *reply);
    for (int k = 0; k < star->shared_count; ++k) {
        const double* y = loop->y + star->shared[k] * loop->lanes;
        for (int i = 0; i < loop->joint.row_count; ++i) {
            reply[i][k] = y[i];
        }
    }
}

// A = L L^T in place, the inverse of the diagonal on it. least: of each pivot. False: one is less.
CN_LANE_FUNCTION bool factor_small(int n, int stride, double* a, const double* least) {
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
CN_LANE_FUNCTION void solve_lower(int n, int stride, const double* l, double* x) {
    for (int i = 0; i < n; ++i) {
        double own = x[i];
        for (int k = 0; k < i; ++k) {
            own -= l[i * stride + k] * x[k];
        }
        x[i] = own * l[i * stride + i];
    }
}

CN_LANE_FUNCTION void solve_upper(int n, int stride, const double* l, double* x) {
    for (int i = n - 1; i >= 0; --i) {
        double own = x[i];
        for (int k = i + 1; k < n; ++k) {
            own -= l[k * stride + i] * x[k];
        }
        x[i] = own * l[i * stride + i];
    }
}

// The squares of the rows of Y_s are part of the diagonal of W, of which L must leave a share.
CN_LANE_FUNCTION bool factor_own(const CnTreeLoop* loop, double (*own)[CN_LOOP_LANES],
                                 const double (*reply)[CN_STAR_AXES], const int quads) {
    double least[CN_MAX_ROWS];
    for (int i = 0; i < loop->joint.row_count; ++i) {
        CnDouble4 sum = {0.0};
        CN_UNROLLED for (int q = 0; q < quads; ++q) {
            CnDouble4 t = cn_double4_load(reply[i] + 4 * q);
            sum = sum + t * t;
        }
        least[i] = CN_STAR_SHARE * (own[i][i] + ((sum[0] + sum[1]) + (sum[2] + sum[3])));
    }
    return factor_small(loop->joint.row_count, CN_LOOP_LANES, own[0], least);
}

// T = L^-1 Y_s in place.
CN_LANE_FUNCTION void solve_reply(int rows, double (*own)[CN_LOOP_LANES],
                                  double (*reply)[CN_STAR_AXES], const int quads) {
    for (int i = 0; i < rows; ++i) {
        CN_UNROLLED for (int q = 0; q < quads; ++q) {
            CnDouble4 t = cn_double4_load(reply[i] + 4 * q);
            for (int j = 0; j < i; ++j) {
                t = t - own[i][j] * cn_double4_load(reply[j] + 4 * q);
            }
            cn_double4_store(own[i][i] * t, reply[i] + 4 * q);
        }
    }
}

// 1 + T^T T
CN_LANE_FUNCTION void set_whole(CnTreeLoops* loops, const int quads) {
    CnLoopStar* star = &loops->star;
    for (int i = 0; i < star->shared_count; ++i) {
        CnDouble4 sum[3] = {{0.0}};
        for (int row = 0; row < loops->row_count; ++row) {
            const double* t = star->reply[row];
            CN_UNROLLED for (int q = 0; q < quads; ++q) {
                sum[q] = sum[q] + t[i] * cn_double4_load(t + 4 * q);
            }
        }
        CN_UNROLLED for (int q = 0; q < quads; ++q) {
            cn_double4_store(sum[q], star->whole[i] + 4 * q);
        }
        star->whole[i][i] += 1.0;
    }
}

CN_LANE_FUNCTION bool factor_by(CnJointTree* tree, const int quads) {
    const double zero[CN_STAR_AXES] = {0.0};
    CnTreeLoops* loops = &tree->loops;
    CnLoopStar* star = &loops->star;
    bool is_star = true;
    for (int i = 0; is_star && i < loops->count; ++i) {
        const CnTreeLoop* loop = &loops->loops[i];
        double(*reply)[CN_STAR_AXES] = star->reply + loop->first_row;
        if (loop->lanes == CN_LINKAGE_ROWS) {
            set_own(tree, i, 1);
        } else {
            set_own(tree, i, 2);
        }
        list_reply(star, loop, reply);
        is_star = factor_own(loop, star->own[i], (const double(*)[CN_STAR_AXES])reply, quads);
        solve_reply(is_star ? loop->joint.row_count : 0, star->own[i], reply, quads);
    }
    if (!is_star) {
        return false;
    }
    set_whole(loops, quads);
    return factor_small(star->shared_count, CN_STAR_AXES, star->whole[0], zero);
}

static CN_LANE_TARGET bool factor_star(CnJointTree* tree) {
    int quads = (tree->loops.star.shared_count + 3) / 4;
    return quads <= 1 ? factor_by(tree, 1) : quads == 2 ? factor_by(tree, 2) : factor_by(tree, 3);
}

CN_LANE_FUNCTION void solve_by(const CnTreeLoops* loops, double* x, const int quads) {
    const CnLoopStar* star = &loops->star;
    CnDouble4 sum[3] = {{0.0}};
    double shared[CN_STAR_AXES];
    for (int i = 0; i < loops->count; ++i) {
        const CnTreeLoop* loop = &loops->loops[i];
        solve_lower(loop->joint.row_count, CN_LOOP_LANES, star->own[i][0], x + loop->first_row);
    }
    for (int row = 0; row < loops->row_count; ++row) {
        CN_UNROLLED for (int q = 0; q < quads; ++q) {
            sum[q] = sum[q] + x[row] * cn_double4_load(star->reply[row] + 4 * q);
        }
    }
    memcpy(shared, sum, sizeof shared);
    solve_lower(star->shared_count, CN_STAR_AXES, star->whole[0], shared);
    solve_upper(star->shared_count, CN_STAR_AXES, star->whole[0], shared);
    memcpy(sum, shared, sizeof shared);
    for (int row = 0; row < loops->row_count; ++row) {
        CnDouble4 part = {0.0};
        CN_UNROLLED for (int q = 0; q < quads; ++q) {
            part = part + sum[q] * cn_double4_load(star->reply[row] + 4 * q);
        }
        x[row] -= (part[0] + part[1]) + (part[2] + part[3]);
    }
    for (int i = 0; i < loops->count; ++i) {
        const CnTreeLoop* loop = &loops->loops[i];
        solve_upper(loop->joint.row_count, CN_LOOP_LANES, star->own[i][0], x + loop->first_row);
    }
}

static CN_LANE_TARGET void solve_star(const CnTreeLoops* loops, double* x) {
    int quads = (loops->star.shared_count + 3) / 4;
    if (quads <= 1) {
        solve_by(loops, x, 1);
    } else if (quads == 2) {
        solve_by(loops, x, 2);
    } else {
        solve_by(loops, x, 3);
    }
}

// The diagonal of W of a loop's rows: sums of squares along all axes.
static CN_LANE_TARGET void find_responses(const CnTreeLoop* loop, int axes, double* response) {
    for (int g = 0; g < loop->lanes; g += CN_LINKAGE_ROWS) {
        CnDouble4 sum = {0.0};
        for (int k = 0; k < axes; ++k) {
            CnDouble4 y = cn_double4_load(loop->y + k * loop->lanes + g);
            sum = sum + y * y;
        }
        cn_double4_store(sum, response + g);
    }
}

// Y^T p of a loop's rows. impulse: zero beyond the last row.
static CN_LANE_TARGET void add_along(const CnTreeLoop* loop, int axes,
                                     const double impulse[CN_LOOP_LANES], double* along) {
    for (int g = 0; g < loop->lanes; g += CN_LINKAGE_ROWS) {
        CnDouble4 p = cn_double4_load(impulse + g);
        for (int k = 0; k < axes; ++k) {
            CnDouble4 part = p * cn_double4_load(loop->y + k * loop->lanes + g);
            along[k] += (part[0] + part[1]) + (part[2] + part[3]);
        }
    }
}

#define LOOP_PASSES                                                                                \
    {                                                                                              \
        .factor_star = factor_star, .solve_star = solve_star, .find_responses = find_responses,    \
        .add_along = add_along                                                                     \
    }
