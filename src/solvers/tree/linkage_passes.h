// linkage_passes.h - factor and solve of a tree of bodies, for one width of registers.
//
// Twists, wrenches and rows of inertias are six numbers in registers: wider ones hold more of them,
// the bits are the same.
#include "math/lane_vectors.h"
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

// Three numbers and a zero each: the parts of a twist or a wrench.
typedef struct SixParts {
    CnDouble4 linear, angular;
} SixParts;

CN_LANE_FUNCTION SixParts parts_of(const double x[6]) {
    CnDouble4 head, tail, zero = {0.0, 0.0, 0.0, 0.0};
    memcpy(&head, x, sizeof head);
    memcpy(&tail, x + 2, sizeof tail);
    return (SixParts){__builtin_shufflevector(head, zero, 0, 1, 2, 4),
                      __builtin_shufflevector(tail, zero, 1, 2, 3, 4)};
}

CN_LANE_FUNCTION Six six_of_parts(SixParts x) {
    CnDouble4 first = {x.linear[0], x.linear[1], x.linear[2], x.angular[0]};
    return (Six){first, {x.angular[1], x.angular[2]}};
}

CN_LANE_FUNCTION double parts_dot(SixParts x, SixParts y) {
    CnDouble4 sum = x.linear * y.linear + x.angular * y.angular;
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// A symmetric inertia I = [A B; B^T C] by the columns of its blocks: all that is done with it takes
// whole registers.
typedef struct Blocks {
    CnDouble4 a[3], b[3], t[3], c[3]; // t: B^T
} Blocks;
_Static_assert(sizeof(Blocks) == CN_LINKAGE_INERTIA * sizeof(double), "as CnLinkage.whole has it");

CN_LANE_FUNCTION Blocks blocks_of(const double whole[CN_LINKAGE_INERTIA]) {
    Blocks out;
    CN_UNROLLED for (int k = 0; k < 3; ++k) {
        out.a[k] = cn_double4_load(whole + 4 * k);
        out.b[k] = cn_double4_load(whole + 12 + 4 * k);
        out.t[k] = cn_double4_load(whole + 24 + 4 * k);
        out.c[k] = cn_double4_load(whole + 36 + 4 * k);
    }
    return out;
}

CN_LANE_FUNCTION void blocks_store(const Blocks* blocks, double whole[CN_LINKAGE_INERTIA]) {
    CN_UNROLLED for (int k = 0; k < 3; ++k) {
        cn_double4_store(blocks->a[k], whole + 4 * k);
        cn_double4_store(blocks->b[k], whole + 12 + 4 * k);
        cn_double4_store(blocks->t[k], whole + 24 + 4 * k);
        cn_double4_store(blocks->c[k], whole + 36 + 4 * k);
    }
}

// The columns of a body's moments of inertia.
CN_LANE_FUNCTION void inertia_columns(const double i[6], CnDouble4 columns[3]) {
    const CnDouble4 zero = {0.0, 0.0, 0.0, 0.0};
    columns[0] = __builtin_shufflevector(cn_double4_load(i), zero, 0, 1, 2, 4);
    columns[1] = __builtin_shufflevector(cn_double4_load(i + 1), zero, 0, 2, 3, 4);
    columns[2] = __builtin_shufflevector(cn_double4_load(i + 2), zero, 0, 2, 3, 4);
}

// The inertia of a body alone.
CN_LANE_FUNCTION Blocks own_inertia(const CnLinkage* links, int link) {
    const CnDouble4 zero = {0.0, 0.0, 0.0, 0.0};
    const double mass = links->mass[link];
    Blocks out = {
        .a = {{mass, 0.0, 0.0, 0.0}, {0.0, mass, 0.0, 0.0}, {0.0, 0.0, mass, 0.0}},
        .b = {zero, zero, zero},
        .t = {zero, zero, zero},
    };
    inertia_columns(links->inertia[link], out.c);
    return out;
}

// I S of one axis. Terms are added in pairs: in a chain of bodies each sum waits for another.
CN_LANE_FUNCTION SixParts times_inertia(const Blocks* i, const double s[6]) {
    return (SixParts){((s[0] * i->a[0] + s[1] * i->a[1]) + (s[2] * i->a[2] + s[3] * i->b[0])) +
                          (s[4] * i->b[1] + s[5] * i->b[2]),
                      ((s[0] * i->t[0] + s[1] * i->t[1]) + (s[2] * i->t[2] + s[3] * i->c[0])) +
                          (s[4] * i->c[1] + s[5] * i->c[2])};
}

// I - w U U^T of one axis. Products of two entries come first, so that the sums are symmetric to
// the bit: in a long chain differences between both halves would grow with every link.
CN_LANE_FUNCTION void take_axis(SixParts u, double w, Blocks* i) {
    CN_UNROLLED for (int k = 0; k < 3; ++k) {
        i->a[k] = i->a[k] - w * (u.linear[k] * u.linear);
        i->b[k] = i->b[k] - w * (u.angular[k] * u.linear);
        i->t[k] = i->t[k] - w * (u.linear[k] * u.angular);
        i->c[k] = i->c[k] - w * (u.angular[k] * u.angular);
    }
}

CN_LANE_FUNCTION void transpose(const CnDouble4 in[3], CnDouble4 out[3]) {
    const CnDouble4 zero = {0.0, 0.0, 0.0, 0.0};
    CnDouble4 low = __builtin_shufflevector(in[0], in[1], 0, 4, 2, 6),
              high = __builtin_shufflevector(in[0], in[1], 1, 5, 3, 7),
              last_low = __builtin_shufflevector(in[2], zero, 0, 4, 2, 6),
              last_high = __builtin_shufflevector(in[2], zero, 1, 5, 3, 7);
    out[0] = __builtin_shufflevector(low, last_low, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(high, last_high, 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(low, last_low, 2, 3, 6, 7);
}

// The columns of M [r], [r] w = r x w.
CN_LANE_FUNCTION void times_cross(const CnDouble4 m[3], const double r[3], CnDouble4 out[3]) {
    out[0] = r[2] * m[1] - r[1] * m[2];
    out[1] = r[0] * m[2] - r[2] * m[0];
    out[2] = r[1] * m[0] - r[0] * m[1];
}

// sum + X^T I X: mechanisms.md (47).
CN_LANE_FUNCTION void add_to_parent(const Blocks* i, const double arm[3], Blocks sum, double* out) {
    CnDouble4 b[3], t[3], by_arm[3], turned[3];
    times_cross(i->a, arm, by_arm);
    CN_UNROLLED for (int k = 0; k < 3; ++k) {
        b[k] = i->b[k] - by_arm[k];
    }
    transpose(b, t);
    times_cross(t, arm, by_arm);
    transpose(by_arm, turned);
    times_cross(i->t, arm, by_arm);
    CN_UNROLLED for (int k = 0; k < 3; ++k) {
        sum.a[k] = sum.a[k] + i->a[k];
        sum.b[k] = sum.b[k] + b[k];
        sum.t[k] = sum.t[k] + t[k];
        sum.c[k] = sum.c[k] + (i->c[k] - (by_arm[k] + turned[k]));
    }
    blocks_store(&sum, out);
}

CN_LANE_FUNCTION double slope_of(const CnLinkage* links, int axis, int place) {
    return links->has_slopes ? links->slope[axis][place] : 0.0;
}

// C of D = S^T U + s in place of row `row`, U and Z scaled by it: mechanisms.md (7). U holds I S.
CN_LANE_FUNCTION bool eliminate_axis(CnLinkage* links, int first, int row) {
    const double* s = links->axis[first + row];
    double* c = links->pivot[first + row];
    double *u = links->u[first + row], *z = links->z[first + row];
    for (int k = 0; k <= row; ++k) {
        c[k] = dot6(links->axis[first + k], u) + slope_of(links, first + row, k);
    }
    memcpy(z, s, sizeof *links->z);
    for (int k = 0; k < row; ++k) { // the axes before it
        const double* other = links->pivot[first + k];
        for (int j = 0; j < k; ++j) {
            c[k] -= c[j] * other[j];
        }
        c[k] *= links->inverse[first + k];
        add_scaled(-c[k], links->u[first + k], u);
        add_scaled(-c[k], links->z[first + k], z);
    }
    for (int j = 0; j < row; ++j) {
        c[row] -= c[j] * c[j];
    }
    if (!(c[row] > 0.0 && c[row] < HUGE_VAL)) {
        return false;
    }
    double inverse = 1.0 / sqrt(c[row]);
    links->inverse[first + row] = inverse;
    for (int k = 0; k < 6; ++k) {
        u[k] *= inverse;
        z[k] *= inverse;
    }
    return true;
}

// A joint with one axis, as eliminate_axis() would. What waits for the pivot takes its inverse, not
// its root: the parent waits for that.
CN_LANE_FUNCTION bool eliminate_only_axis(CnLinkage* links, int axis, Blocks* whole) {
    SixParts u = times_inertia(whole, links->axis[axis]);
    double d = parts_dot(parts_of(links->axis[axis]), u) + slope_of(links, axis, 0);
    if (!(d > 0.0 && d < HUGE_VAL)) {
        return false;
    }
    double inverse = 1.0 / d, c = sqrt(inverse);
    take_axis(u, inverse, whole);
    six_store(six_scale(c, six_of_parts(u)), links->u[axis]);
    six_store(six_scale(c, six_of(links->axis[axis])), links->z[axis]);
    links->inverse[axis] = c;
    return true;
}

// Two or three axes, as eliminate_axis() takes them one after the other, to the same bits: with
// their number known all stays in registers.
CN_LANE_FUNCTION bool eliminate_few(CnLinkage* links, int first, const int count, Blocks* whole) {
    Six u[3], z[3];
    double c[3][3];
    CN_UNROLLED for (int row = 0; row < count; ++row) {
        z[row] = six_of(links->axis[first + row]);
        u[row] = six_of_parts(times_inertia(whole, links->axis[first + row]));
    }
    CN_UNROLLED for (int row = 0; row < count; ++row) {
        CN_UNROLLED for (int k = 0; k <= row; ++k) {
            c[row][k] =
                six_dot(six_of(links->axis[first + k]), u[row]) + slope_of(links, first + row, k);
        }
        CN_UNROLLED for (int k = 0; k < row; ++k) { // the axes before it
            CN_UNROLLED for (int j = 0; j < k; ++j) {
                c[row][k] -= c[row][j] * c[k][j];
            }
            c[row][k] *= links->inverse[first + k];
            u[row] = six_add_scaled(u[row], -c[row][k], u[k]);
            z[row] = six_add_scaled(z[row], -c[row][k], z[k]);
        }
        CN_UNROLLED for (int j = 0; j < row; ++j) {
            c[row][row] -= c[row][j] * c[row][j];
        }
        if (!(c[row][row] > 0.0 && c[row][row] < HUGE_VAL)) {
            return false;
        }
        double inverse = 1.0 / sqrt(c[row][row]);
        links->inverse[first + row] = inverse;
        u[row] = six_scale(inverse, u[row]);
        z[row] = six_scale(inverse, z[row]);
        six_store(u[row], links->u[first + row]);
        six_store(z[row], links->z[first + row]);
        memcpy(links->pivot[first + row], c[row], (size_t)(row + 1) * sizeof(double));
    }
    CN_UNROLLED for (int row = 0; row < count; ++row) {
        take_axis(parts_of(links->u[first + row]), 1.0, whole);
    }
    return true;
}

// Takes the axes of a link out of its inertia. False: a pivot is not positive.
CN_LANE_FUNCTION bool eliminate_axes(CnLinkage* links, int link, Blocks* whole) {
    int first = links->first_axis[link], count = links->first_axis[link + 1] - first;
    bool is_regular = true;
    if (count == 1) { // hinges, sliders
        return eliminate_only_axis(links, first, whole);
    }
    if (count == 2) { // universal joints
        return eliminate_few(links, first, 2, whole);
    }
    if (count == 3) { // ball joints
        return eliminate_few(links, first, 3, whole);
    }
    for (int row = 0; row < count; ++row) {
        six_store(six_of_parts(times_inertia(whole, links->axis[first + row])),
                  links->u[first + row]);
    }
    for (int row = 0; is_regular && row < count; ++row) {
        is_regular = eliminate_axis(links, first, row);
    }
    for (int row = 0; is_regular && row < count; ++row) {
        take_axis(parts_of(links->u[first + row]), 1.0, whole);
    }
    return is_regular;
}

// Eliminates the axes of a link whose children are done. A link's own inertia enters with the first
// child that is added to it: a pass of its own would take memory of a large tree through the cache.
CN_LANE_FUNCTION bool factor_link(CnLinkage* links, int i) {
    int parent = links->parent[i];
    Blocks whole;
    if (links->last_child[i] >= 0) {
        whole = blocks_of(links->whole[i]);
    } else {
        whole = own_inertia(links, i);
        blocks_store(&whole, links->whole[i]);
    }
    bool is_regular = eliminate_axes(links, i, &whole);
    if (is_regular && parent >= 0) {
        bool is_first = links->last_child[parent] == i;
        add_to_parent(&whole, links->arm[i],
                      is_first ? own_inertia(links, parent) : blocks_of(links->whole[parent]),
                      links->whole[parent]);
    }
    return is_regular;
}

static CN_LANE_TARGET bool factor(CnLinkage* links) {
    for (int i = links->link_count - 1; i >= 0; --i) {
        if (!factor_link(links, i)) {
            return false;
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
        links->scaled[first + row] = own * links->inverse[first + row];
    }
}

// sum + X^T f, as cn_linkage_to_parent(): in whole registers.
CN_LANE_FUNCTION Six add_wrench(const double arm[3], Six f, Six sum) {
    double x = f.first[0], y = f.first[1], z = f.first[2];
    CnDouble4 first = {-0.0, -0.0, -0.0, arm[1] * z - arm[2] * y}; // which changes no zero
    CnDouble2 last = {arm[2] * x - arm[0] * z, arm[0] * y - arm[1] * x};
    return six_add(sum, six_add(f, (Six){first, last}));
}

// scaled = Z^T P + C^-1 o of each axis; returns what the axes leave of P, and of the momentum that
// the twist takes along them: (8).
CN_LANE_FUNCTION Six pass_axes(CnLinkage* links, int link, Six own, const double* twist,
                               const double* offset) {
    Six left = own;
    scale_offsets(links, link, offset);
    for (int k = links->first_axis[link]; k < links->first_axis[link + 1]; ++k) {
        Six u = six_of(links->u[k]);
        double moved = twist != NULL ? six_dot(u, six_of(twist)) : 0.0;
        links->scaled[k] += six_dot(six_of(links->z[k]), own);
        left = six_add_scaled(left, moved - links->scaled[k], u);
    }
    return left;
}

// What is left of P goes to the parent: (8), (48).
CN_LANE_FUNCTION void pass_up(CnLinkage* links, int link, double (*momentum)[6],
                              const double* twist, const double* offset) {
    int parent = links->parent[link];
    Six left = pass_axes(links, link, six_of(momentum[link]), twist, offset);
    if (parent < 0) {
        return;
    }
    if (twist != NULL) {
        Blocks whole = blocks_of(links->whole[link]);
        left = six_add_scaled(left, -1.0, six_of_parts(times_inertia(&whole, twist)));
    }
    six_store(add_wrench(links->arm[link], left, six_of(momentum[parent])), momentum[parent]);
}

CN_LANE_FUNCTION Six momentum_of(const double (*momentum)[6], int link) {
    return momentum != NULL ? six_of(momentum[link]) : (Six){{0.0}, {0.0}};
}

// factor_link() and pass_up() of a link, with I and P in slots.
CN_LANE_FUNCTION bool factor_and_pass(CnLinkage* links, int link, const double (*momentum)[6],
                                      const double* twist, const double* offset) {
    int parent = links->parent[link];
    bool is_leaf = links->last_child[link] < 0;
    const double* pending = is_leaf ? NULL : links->pending[links->slot[link]];
    Blocks whole = is_leaf ? own_inertia(links, link) : blocks_of(pending);
    Six own = is_leaf ? momentum_of(momentum, link) : six_of(pending + CN_LINKAGE_INERTIA);
    Six carried = {{0.0}, {0.0}};
    if (links->keeps_whole) {
        blocks_store(&whole, links->whole[link]);
    }
    if (twist != NULL && parent >= 0) {
        carried = six_of_parts(times_inertia(&whole, twist));
    }
    if (!eliminate_axes(links, link, &whole)) {
        return false;
    }
    Six left = pass_axes(links, link, own, twist, offset);
    if (parent >= 0) {
        bool is_first = links->last_child[parent] == link;
        const double* arm = links->arm[link];
        double* sum = links->pending[links->slot[parent]];
        if (twist != NULL) {
            left = six_add_scaled(left, -1.0, carried);
        }
        Six before = is_first ? momentum_of(momentum, parent) : six_of(sum + CN_LINKAGE_INERTIA);
        add_to_parent(&whole, arm, is_first ? own_inertia(links, parent) : blocks_of(sum), sum);
        six_store(add_wrench(arm, left, before), sum + CN_LINKAGE_INERTIA);
    }
    return true;
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
        rate[row] = own * links->inverse[row];
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

#include "solvers/tree/linkage_limb_passes.h"

// Limbs first, side by side: nothing hangs on them.
CN_LANE_FUNCTION bool factor_all_limbs(CnLinkage* links, const double (*momentum)[6],
                                       const double (*twist)[6], const double* offset) {
    for (int g = 0; g < links->limbs.group_count; ++g) {
        const CnLimbGroup* group = &links->limbs.groups[g];
        for (int first = 0; first < group->count; first += CN_LANES) {
            if (!factor_limbs(links, group, first, momentum, twist, offset)) {
                return false;
            }
        }
    }
    return true;
}

CN_LANE_FUNCTION void solve_all_limbs(const CnLinkage* links, bool has_twist,
                                      double (*velocity)[6]) {
    for (int g = 0; g < links->limbs.group_count; ++g) {
        const CnLimbGroup* group = &links->limbs.groups[g];
        for (int first = 0; first < group->count; first += CN_LANES) {
            solve_limbs(links, group, first, has_twist, velocity);
        }
    }
}

static CN_LANE_TARGET bool factor_and_solve(CnLinkage* links, const double (*momentum)[6],
                                            const double (*twist)[6], const double* offset,
                                            double (*velocity)[6]) {
    bool by_limbs = limbs_serve(links);
    const CnLimbs* limbs = &links->limbs;
    int count = by_limbs ? limbs->rest_count : links->link_count;
    if (by_limbs && !factor_all_limbs(links, momentum, twist, offset)) {
        return false;
    }
    for (int k = count - 1; k >= 0; --k) {
        int i = by_limbs ? limbs->rest[k] : k;
        if (by_limbs && limbs->place[i] >= 0) {
            take_from_limb(links, i, momentum);
        } else if (!factor_and_pass(links, i, momentum, twist != NULL ? twist[i] : NULL, offset)) {
            return false;
        }
    }
    for (int k = 0; k < count; ++k) {
        int i = by_limbs ? limbs->rest[k] : k;
        if (!by_limbs || limbs->place[i] < 0) {
            pass_down(links, i, links->scaled, twist != NULL ? twist[i] : NULL, NULL, velocity);
        }
    }
    if (by_limbs) {
        solve_all_limbs(links, twist != NULL, velocity);
    }
    return true;
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

// X^T f of four wrenches, as cn_linkage_to_parent() has it.
CN_LANE_FUNCTION void carry_rows(const double arm[3], CnDouble4 f[6]) {
    f[3] = f[3] + (arm[1] * f[2] - arm[2] * f[1]);
    f[4] = f[4] + (arm[2] * f[0] - arm[0] * f[2]);
    f[5] = f[5] + (arm[0] * f[1] - arm[1] * f[0]);
}

// push() of four rows, one in each lane.
static CN_LANE_TARGET void push_rows(const CnLinkage* links, int link, int count,
                                     const double (*wrench)[6], int stride, double* y) {
    double across[6][4] = {{0.0}};
    CnDouble4 f[6];
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < 6; ++j) {
            across[j][i] = wrench[i][j];
        }
    }
    CN_UNROLLED for (int j = 0; j < 6; ++j) {
        f[j] = cn_double4_load(across[j]);
    }
    for (; link >= 0; link = links->parent[link]) {
        CnDouble4 left[6];
        memcpy(left, f, sizeof left);
        for (int k = links->first_axis[link]; k < links->first_axis[link + 1]; ++k) {
            const double *z = links->z[k], *u = links->u[k];
            double* to = y + k * stride;
            CnDouble4 own = ((z[0] * f[0] + z[1] * f[1]) + (z[2] * f[2] + z[3] * f[3])) +
                            (z[4] * f[4] + z[5] * f[5]);
            cn_double4_store(cn_double4_load(to) + own, to);
            CN_UNROLLED for (int j = 0; j < 6; ++j) {
                left[j] = left[j] - own * u[j];
            }
        }
        memcpy(f, left, sizeof left);
        carry_rows(links->arm[link], f);
    }
}

static CN_LANE_TARGET void respond(const CnLinkage* links, const double* y, double (*velocity)[6]) {
    for (int i = 0; i < links->link_count; ++i) {
        pass_down(links, i, y, NULL, NULL, velocity);
    }
}

// M V of a body alone.
CN_LANE_FUNCTION Six own_momentum(const CnLinkage* links, int link, Six v) {
    CnDouble4 columns[3];
    inertia_columns(links->inertia[link], columns);
    CnDouble4 linear = links->mass[link] * v.first;
    CnDouble4 angular = (v.first[3] * columns[0] + v.last[0] * columns[1]) + v.last[1] * columns[2];
    return (Six){__builtin_shufflevector(linear, angular, 0, 1, 2, 4),
                 __builtin_shufflevector(angular, angular, 1, 2)};
}

static CN_LANE_TARGET void find_wrenches(const CnLinkage* links, const double (*momentum)[6],
                                         const double (*velocity)[6], double (*wrench)[6]) {
    const Six zero = {{0.0}, {0.0}};
    for (int i = links->link_count - 1; i >= 0; --i) {
        Six f = links->last_child[i] < 0 ? zero : six_of(wrench[i]);
        Six change = own_momentum(links, i, six_of(velocity[i]));
        if (momentum != NULL) {
            change = six_add_scaled(change, -1.0, six_of(momentum[i]));
        }
        f = six_add(f, change);
        six_store(f, wrench[i]);
        int parent = links->parent[i];
        if (parent >= 0) {
            Six sum = links->last_child[parent] == i ? zero : six_of(wrench[parent]);
            six_store(add_wrench(links->arm[i], f, sum), wrench[parent]);
        }
    }
}

#define LINKAGE_PASSES                                                                             \
    {                                                                                              \
        .factor = factor, .solve = solve, .factor_and_solve = factor_and_solve, .push = push,      \
        .push_rows = push_rows, .respond = respond, .find_wrenches = find_wrenches                 \
    }
