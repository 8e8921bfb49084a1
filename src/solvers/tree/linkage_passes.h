// linkage_passes.h - factor and solve of a tree of bodies, for one width of registers.
//
// Twists, wrenches and rows of inertias are six numbers in registers: wider ones hold more of them,
// the bits are the same.
#include "math/simd.h"
#include "solvers/tree/linkage.h"

#include <math.h>
#include <string.h>

typedef struct Six {
    CnDouble4 first; // 0 to 3
    CnDouble2 last;  // 4, 5
} Six;

CN_LANE_FUNCTION Six six_of(const double x[6]) {
    Six out;
    memcpy(&out.first, x, sizeof out.first);
    memcpy(&out.last, x + 4, sizeof out.last);
    return out;
}

CN_LANE_FUNCTION void six_store(Six x, double out[6]) {
    memcpy(out, &x.first, sizeof x.first);
    memcpy(out + 4, &x.last, sizeof x.last);
}

CN_LANE_FUNCTION Six six_add(Six x, Six y) {
    return (Six){x.first + y.first, x.last + y.last};
}

CN_LANE_FUNCTION Six six_scale(double scale, Six x) {
    return (Six){scale * x.first, scale * x.last};
}

// y + scale x
CN_LANE_FUNCTION Six six_add_scaled(Six y, double scale, Six x) {
    return (Six){y.first + scale * x.first, y.last + scale * x.last};
}

CN_LANE_FUNCTION double six_dot(Six x, Six y) {
    CnDouble4 a = x.first * y.first;
    CnDouble2 b = x.last * y.last;
    return ((a[0] + a[1]) + (a[2] + a[3])) + (b[0] + b[1]);
}

CN_LANE_FUNCTION double dot6(const double a[6], const double b[6]) {
    return six_dot(six_of(a), six_of(b));
}

CN_LANE_FUNCTION void add_scaled(double scale, const double x[6], double y[6]) {
    six_store(six_add_scaled(six_of(y), scale, six_of(x)), y);
}

CN_LANE_FUNCTION void set_inertia(double mass, const double inertia[6], double out[6][6]) {
    memset(out, 0, sizeof(double[6][6]));
    out[0][0] = out[1][1] = out[2][2] = mass;
    out[3][3] = inertia[0];
    out[3][4] = out[4][3] = inertia[1];
    out[3][5] = out[5][3] = inertia[2];
    out[4][4] = inertia[3];
    out[4][5] = out[5][4] = inertia[4];
    out[5][5] = inertia[5];
}

// out += X^T I X for a symmetric I: mechanisms.md (6).
CN_LANE_FUNCTION void add_to_parent(const double (*inertia)[6], const double arm[3],
                                    double (*out)[6]) {
    double low[3][6]; // the lower rows of X^T I
    double x = arm[0], y = arm[1], z = arm[2];
    Six a = six_of(inertia[0]), b = six_of(inertia[1]), c = six_of(inertia[2]);
    Six rows[3] = {
        {y * c.first - z * b.first, y * c.last - z * b.last},
        {z * a.first - x * c.first, z * a.last - x * c.last},
        {x * b.first - y * a.first, x * b.last - y * a.last},
    };
    for (int j = 0; j < 3; ++j) {
        rows[j] = six_add(six_of(inertia[3 + j]), rows[j]);
        six_store(rows[j], low[j]);
    }
    const Six upper[3] = {a, b, c};
    for (int j = 0; j < 3; ++j) {
        const double* g = low[j];
        CnDouble4 first = {upper[j].first[0], upper[j].first[1], upper[j].first[2], low[0][j]};
        Six add = {first, {low[1][j], low[2][j]}};
        six_store(six_add(six_of(out[j]), add), out[j]);
        const double right[3] = {g[3] + (y * g[2] - z * g[1]), g[4] + (z * g[0] - x * g[2]),
                                 g[5] + (x * g[1] - y * g[0])};
        first = (CnDouble4){g[0], g[1], g[2], right[0]};
        add = (Six){first, {right[1], right[2]}};
        six_store(six_add(six_of(out[3 + j]), add), out[3 + j]);
    }
}

// C of D = S^T U + s in place of row `row`, U and Z scaled by it: mechanisms.md (7). U holds I S.
CN_LANE_FUNCTION bool eliminate_axis(CnLinkage* links, int first, int row) {
    const double* s = links->axis[first + row];
    double* c = links->pivot[first + row];
    double *u = links->u[first + row], *z = links->z[first + row];
    for (int k = 0; k <= row; ++k) {
        c[k] = dot6(links->axis[first + k], u) + links->slope[first + row][k];
    }
    memcpy(z, s, sizeof *links->z);
    for (int k = 0; k < row; ++k) { // the axes before it
        const double* other = links->pivot[first + k];
        for (int j = 0; j < k; ++j) {
            c[k] -= c[j] * other[j];
        }
        c[k] *= other[k];
        add_scaled(-c[k], links->u[first + k], u);
        add_scaled(-c[k], links->z[first + k], z);
    }
    for (int j = 0; j < row; ++j) {
        c[row] -= c[j] * c[j];
    }
    if (!(c[row] > 0.0 && c[row] < HUGE_VAL)) {
        return false;
    }
    c[row] = 1.0 / sqrt(c[row]);
    for (int k = 0; k < 6; ++k) {
        u[k] *= c[row];
        z[k] *= c[row];
    }
    return true;
}

// I S of one axis.
CN_LANE_FUNCTION Six times_inertia(const double (*whole)[6], const double s[6]) {
    Six sum = {{0.0}, {0.0}};
    CN_UNROLLED for (int k = 0; k < 6; ++k) {
        sum = six_add_scaled(sum, s[k], six_of(whole[k]));
    }
    return sum;
}

// I - U U^T of one axis.
CN_LANE_FUNCTION void take_axis(const double u[6], double (*whole)[6]) {
    Six own = six_of(u);
    CN_UNROLLED for (int k = 0; k < 6; ++k) {
        six_store(six_add_scaled(six_of(whole[k]), -u[k], own), whole[k]);
    }
}

// A joint with one axis, as eliminate_axis() would.
CN_LANE_FUNCTION bool eliminate_only_axis(CnLinkage* links, int axis, const double (*whole)[6]) {
    Six s = six_of(links->axis[axis]);
    Six u = times_inertia(whole, links->axis[axis]);
    double c = six_dot(s, u) + links->slope[axis][0];
    if (!(c > 0.0 && c < HUGE_VAL)) {
        return false;
    }
    c = 1.0 / sqrt(c);
    six_store(six_scale(c, u), links->u[axis]);
    six_store(six_scale(c, s), links->z[axis]);
    links->pivot[axis][0] = c;
    return true;
}

CN_LANE_FUNCTION bool eliminate_link(CnLinkage* links, int link) {
    double(*whole)[6] = links->whole[link];
    int first = links->first_axis[link], count = links->first_axis[link + 1] - first;
    bool is_regular = true;
    if (count == 1) { // hinges and sliders
        is_regular = eliminate_only_axis(links, first, (const double(*)[6])whole);
    }
    for (int row = 0; count > 1 && row < count; ++row) {
        six_store(times_inertia((const double(*)[6])whole, links->axis[first + row]),
                  links->u[first + row]);
    }
    for (int row = 0; count > 1 && is_regular && row < count; ++row) {
        is_regular = eliminate_axis(links, first, row);
    }
    for (int row = 0; is_regular && links->parent[link] >= 0 && row < count; ++row) {
        take_axis(links->u[first + row], whole);
    }
    return is_regular;
}

static CN_LANE_TARGET bool factor(CnLinkage* links) {
    for (int i = 0; i < links->link_count; ++i) {
        set_inertia(links->mass[i], links->inertia[i], links->whole[i]);
    }
    for (int i = links->link_count - 1; i >= 0; --i) {
        int parent = links->parent[i];
        if (!eliminate_link(links, i)) {
            return false;
        }
        if (parent >= 0) {
            add_to_parent((const double(*)[6])links->whole[i], links->arm[i], links->whole[parent]);
        }
    }
    return true;
}

// C^-1 o of each axis of a link; o NULL: zero.
CN_LANE_FUNCTION void scale_offsets(CnLinkage* links, int link, const double* offset) {
    int first = links->first_axis[link], count = links->first_axis[link + 1] - first;
    for (int row = 0; row < count; ++row) {
        const double* c = links->pivot[first + row];
        double own = offset != NULL ? offset[first + row] : 0.0;
        for (int k = 0; k < row && offset != NULL; ++k) {
            own -= c[k] * links->scaled[first + k];
        }
        links->scaled[first + row] = own * c[row];
    }
}

// scaled = Z^T P + C^-1 o of each axis, and what is left of P goes to the parent: (8).
CN_LANE_FUNCTION void pass_up(CnLinkage* links, int link, double (*momentum)[6],
                              const double* twist, const double* offset) {
    int parent = links->parent[link];
    Six own = six_of(momentum[link]), left = own;
    double rest[6];
    scale_offsets(links, link, offset);
    for (int k = links->first_axis[link]; k < links->first_axis[link + 1]; ++k) {
        links->scaled[k] += six_dot(six_of(links->z[k]), own);
        left = six_add_scaled(left, -links->scaled[k], six_of(links->u[k]));
    }
    if (parent < 0) {
        return;
    }
    if (twist != NULL) {
        CN_UNROLLED for (int k = 0; k < 6; ++k) {
            left = six_add_scaled(left, -twist[k], six_of(links->whole[link][k]));
        }
    }
    six_store(left, rest);
    cn_linkage_to_parent(links->arm[link], rest, momentum[parent]);
}

// V = y + Z (scaled - U^T y), y = X V_parent + c; scaled becomes C^T q': (9).
CN_LANE_FUNCTION void pass_down(const CnLinkage* links, int link, const double* from,
                                const double* twist, double* scaled, double (*velocity)[6]) {
    int parent = links->parent[link];
    Six y = {{0.0}, {0.0}};
    if (parent >= 0) {
        const double *v = velocity[parent], *arm = links->arm[link];
        CnDouble4 first = {v[0] + (v[4] * arm[2] - v[5] * arm[1]),
                           v[1] + (v[5] * arm[0] - v[3] * arm[2]),
                           v[2] + (v[3] * arm[1] - v[4] * arm[0]), v[3]};
        y = (Six){first, {v[4], v[5]}};
    }
    if (twist != NULL) {
        y = six_add(y, six_of(twist));
    }
    Six v = y;
    for (int k = links->first_axis[link]; k < links->first_axis[link + 1]; ++k) {
        double own = from[k] - six_dot(six_of(links->u[k]), y);
        if (scaled != NULL) {
            scaled[k] = own;
        }
        v = six_add_scaled(v, own, six_of(links->z[k]));
    }
    six_store(v, velocity[link]);
}

// q' = C^-T scaled
CN_LANE_FUNCTION void find_rates(const CnLinkage* links, int link, double* rate) {
    int first = links->first_axis[link];
    for (int row = links->first_axis[link + 1] - 1; row >= first; --row) {
        double own = links->scaled[row];
        for (int k = row + 1; k < links->first_axis[link + 1]; ++k) {
            own -= links->pivot[k][row - first] * rate[k];
        }
        rate[row] = own * links->pivot[row][row - first];
    }
}

static CN_LANE_TARGET void solve(CnLinkage* links, double (*momentum)[6], const double (*twist)[6],
                                 const double* offset, double (*velocity)[6], double* rate) {
    for (int i = links->link_count - 1; i >= 0; --i) {
        pass_up(links, i, momentum, twist != NULL ? twist[i] : NULL, offset);
    }
    for (int i = 0; i < links->link_count; ++i) {
        pass_down(links, i, links->scaled, twist != NULL ? twist[i] : NULL, links->scaled,
                  velocity);
        if (rate != NULL) {
            find_rates(links, i, rate);
        }
    }
}

static CN_LANE_TARGET void push(const CnLinkage* links, int link, const double wrench[6],
                                double* y) {
    Six f = six_of(wrench);
    for (; link >= 0; link = links->parent[link]) {
        Six left = f;
        for (int k = links->first_axis[link]; k < links->first_axis[link + 1]; ++k) {
            double own = six_dot(six_of(links->z[k]), f);
            y[k] += own;
            left = six_add_scaled(left, -own, six_of(links->u[k]));
        }
        if (links->parent[link] >= 0) {
            double rest[6], carried[6] = {0.0};
            six_store(left, rest);
            cn_linkage_to_parent(links->arm[link], rest, carried);
            f = six_of(carried);
        }
    }
}

static CN_LANE_TARGET void respond(const CnLinkage* links, const double* y, double (*velocity)[6]) {
    for (int i = 0; i < links->link_count; ++i) {
        pass_down(links, i, y, NULL, NULL, velocity);
    }
}

static CN_LANE_TARGET void find_wrenches(const CnLinkage* links, const double (*momentum)[6],
                                         const double (*velocity)[6], double (*wrench)[6]) {
    memset(wrench, 0, (size_t)links->link_count * sizeof *wrench);
    for (int i = links->link_count - 1; i >= 0; --i) {
        const double *v = velocity[i], *inertia = links->inertia[i], *p = momentum[i];
        double* f = wrench[i];
        for (int k = 0; k < 3; ++k) {
            f[k] += links->mass[i] * v[k] - p[k];
        }
        f[3] += (inertia[0] * v[3] + inertia[1] * v[4] + inertia[2] * v[5]) - p[3];
        f[4] += (inertia[1] * v[3] + inertia[3] * v[4] + inertia[4] * v[5]) - p[4];
        f[5] += (inertia[2] * v[3] + inertia[4] * v[4] + inertia[5] * v[5]) - p[5];
        if (links->parent[i] >= 0) {
            cn_linkage_to_parent(links->arm[i], f, wrench[links->parent[i]]);
        }
    }
}

#define LINKAGE_PASSES                                                                             \
    {                                                                                              \
        .factor = factor, .solve = solve, .push = push, .respond = respond,                        \
        .find_wrenches = find_wrenches                                                             \
    }
