// contact_visit_lanes.h - the visit of a group of contacts and its momentum, several lanes at once.
//
// contact_visit_plain.c is the scalar reference, with explanations; tests compare the two bit by
// bit. The including file chooses the register width: math/simd.h. Branches become masks: all
// lanes compute a branch when one of them takes it, and the mask selects the results that count.
#pragma once

#include "math/simd.h"
#include "solvers/sweep/contact_group.h"

_Static_assert(CN_GROUP % CN_LANES == 0, "a group fills whole registers");

// The lanes of a group that share a register.
typedef struct Lanes {
    CnContactGroup* group;
    int first;                         // lane of the group
    double *a[CN_LANES], *b[CN_LANES]; // their bodies
    CnLanes ya[6], yb[6];
    CnLanes w[6], mu;
    CnLanes p[3], q[3];
} Lanes;

CN_LANE_FUNCTION CnLanes zero(void) {
    return cn_lanes(0.0);
}

CN_LANE_FUNCTION void load_bodies(Lanes* lanes, double (*y)[CN_SWEEP_STRIDE]) {
    for (int i = 0; i < CN_LANES; ++i) {
        lanes->a[i] = y[lanes->group->slot_a[lanes->first + i]];
        lanes->b[i] = y[lanes->group->slot_b[lanes->first + i]];
    }
    for (int k = 0; k < 6; k += 2) {
        const double *a[CN_LANES], *b[CN_LANES];
        for (int i = 0; i < CN_LANES; ++i) {
            a[i] = lanes->a[i] + k;
            b[i] = lanes->b[i] + k;
        }
        cn_lanes_gather(a, lanes->ya + k);
        cn_lanes_gather(b, lanes->yb + k);
    }
}

CN_LANE_FUNCTION void store_bodies(const Lanes* lanes) {
    for (int k = 0; k < 6; k += 2) {
        double *a[CN_LANES], *b[CN_LANES];
        for (int i = 0; i < CN_LANES; ++i) {
            a[i] = lanes->a[i] + k;
            b[i] = lanes->b[i] + k;
        }
        cn_lanes_scatter(lanes->ya + k, a);
        cn_lanes_scatter(lanes->yb + k, b);
    }
}

// y += G^T change
CN_LANE_FUNCTION void apply(Lanes* lanes, const CnLanes change[3]) {
    const CnContactGroup* group = lanes->group;
    int at = lanes->first;
    for (int k = 0; k < 6; ++k) {
        lanes->ya[k] += (cn_lanes_load(group->jacobian[0][k] + at) * change[0] +
                         cn_lanes_load(group->jacobian[1][k] + at) * change[1]) +
                        cn_lanes_load(group->jacobian[2][k] + at) * change[2];
        lanes->yb[k] += (cn_lanes_load(group->jacobian[0][6 + k] + at) * change[0] +
                         cn_lanes_load(group->jacobian[1][6 + k] + at) * change[1]) +
                        cn_lanes_load(group->jacobian[2][6 + k] + at) * change[2];
    }
    store_bodies(lanes);
}

CN_LANE_FUNCTION CnLanes feel(const Lanes* lanes, int row) {
    const CnContactGroup* group = lanes->group;
    int at = lanes->first;
    CnLanes sum[3];
    for (int k = 0; k < 3; ++k) {
        CnLanes of_a = cn_lanes_load(group->jacobian[row][2 * k] + at) * lanes->ya[2 * k] +
                       cn_lanes_load(group->jacobian[row][2 * k + 1] + at) * lanes->ya[2 * k + 1];
        CnLanes of_b = cn_lanes_load(group->jacobian[row][6 + 2 * k] + at) * lanes->yb[2 * k] +
                       cn_lanes_load(group->jacobian[row][7 + 2 * k] + at) * lanes->yb[2 * k + 1];
        sum[k] = of_a + of_b;
    }
    CnLanes own = cn_lanes_load(group->q[row] + at) +
                  cn_lanes_load(group->compliance[row] + at) * lanes->p[row];
    return own + ((sum[0] + sum[1]) + sum[2]);
}

CN_LANE_FUNCTION void read_lanes(Lanes* lanes) {
    const CnContactGroup* group = lanes->group;
    const CnLanes *w = lanes->w, *p = lanes->p;
    for (int k = 0; k < 6; ++k) {
        lanes->w[k] = cn_lanes_load(group->w[k] + lanes->first);
    }
    for (int k = 0; k < 3; ++k) {
        lanes->p[k] = cn_lanes_load(group->p[k] + lanes->first);
        lanes->q[k] = feel(lanes, k);
    }
    lanes->q[0] -= (w[0] * p[0] + w[1] * p[1]) + w[2] * p[2];
    lanes->q[1] -= (w[1] * p[0] + w[3] * p[1]) + w[4] * p[2];
    lanes->q[2] -= (w[2] * p[0] + w[4] * p[1]) + w[5] * p[2];
    lanes->mu = cn_lanes_load(group->friction + lanes->first);
}

CN_LANE_FUNCTION CnMask stick(const Lanes* lanes, CnLanes n[3]) {
    CnLanes f[6];
    const CnLanes* q = lanes->q;
    for (int k = 0; k < 6; ++k) {
        f[k] = cn_lanes_load(lanes->group->factor[k] + lanes->first);
    }
    CnLanes y1 = f[0] * q[0] - q[1];
    CnLanes y2 = (f[1] * q[0] - q[2]) - f[2] * y1;
    n[2] = y2 * f[5];
    n[1] = y1 * f[4] - f[2] * n[2];
    n[0] = (zero() - q[0] * f[3]) - f[0] * n[1] - f[1] * n[2];
    CnLanes limit = lanes->mu * n[0];
    return cn_at_most(zero(), n[0]) & cn_at_most(n[1] * n[1] + n[2] * n[2], limit * limit);
}

CN_LANE_FUNCTION void first_direction(const Lanes* lanes, const CnLanes stuck[3], CnLanes d[2]) {
    CnMask has_slid =
        cn_less(cn_lanes(CN_NO_DIRECTION), lanes->p[1] * lanes->p[1] + lanes->p[2] * lanes->p[2]);
    d[0] = cn_select(has_slid, lanes->p[1], stuck[1]);
    d[1] = cn_select(has_slid, lanes->p[2], stuck[2]);
    CnLanes length = cn_lanes_sqrt(d[0] * d[0] + d[1] * d[1]);
    CnMask none = cn_at_most(length, cn_lanes(CN_NO_DIRECTION));
    d[0] = cn_select(none, cn_lanes(1.0), d[0]);
    CnLanes scale = cn_lanes(1.0) / cn_select(none, cn_lanes(1.0), length);
    d[0] *= scale;
    d[1] *= scale;
}

// Works on the lanes without a direction so far and adds those that find one.
CN_LANE_FUNCTION CnMask slide(const Lanes* lanes, CnMask found, double precision, CnLanes n[3]) {
    const CnLanes *w = lanes->w, *q = lanes->q;
    CnLanes mu = lanes->mu, d[2];
    CnLanes size = (cn_lanes_abs(q[0]) + cn_lanes_abs(q[1])) + cn_lanes_abs(q[2]);
    CnLanes near_zero = cn_lanes(precision) * size, noise = cn_lanes(CN_SLIDE_NOISE) * size;
    CnLanes least = cn_lanes(CN_SLIDE_NOISE) * w[0];
    unsigned all = (1u << CN_LANES) - 1u;
    first_direction(lanes, n, d);
    for (int i = 0; i < CN_SLIDE_STEPS; ++i) {
        CnLanes drive1 = w[1] + mu * (w[3] * d[0] + w[4] * d[1]);
        CnLanes drive2 = w[2] + mu * (w[4] * d[0] + w[5] * d[1]);
        CnLanes denominator = w[0] + mu * (w[1] * d[0] + w[2] * d[1]);
        CnLanes inverse = cn_lanes(1.0) / cn_lanes_max(least, denominator);
        CnLanes normal = (zero() - q[0]) * inverse;
        CnLanes u1 = q[1] + normal * drive1, u2 = q[2] + normal * drive2;
        CnLanes cross = d[0] * u2 - d[1] * u1, dot = d[0] * u1 + d[1] * u2;
        CnMask ends = cn_at_most(cn_lanes_abs(cross), near_zero) & cn_at_most(dot, noise);
        CnMask fresh = cn_and_not(ends, found);
        n[0] = cn_select(fresh, normal, n[0]);
        n[1] = cn_select(fresh, (mu * normal) * d[0], n[1]);
        n[2] = cn_select(fresh, (mu * normal) * d[1], n[2]);
        found = found | ends;
        if (cn_mask_bits(found) == all) {
            break;
        }
        CnLanes e1 = zero() - d[1], e2 = d[0];
        CnLanes growth = (mu * (w[1] * e1 + w[2] * e2)) * inverse;
        CnLanes rate1 = normal * (mu * (w[3] * e1 + w[4] * e2) - growth * drive1);
        CnLanes rate2 = normal * (mu * (w[4] * e1 + w[5] * e2) - growth * drive2);
        CnLanes slope = (d[0] * rate2 - d[1] * rate1) - dot;
        CnLanes turn = (zero() - cross) / slope;
        turn = cn_lanes_max(cn_lanes(-CN_SLIDE_CLIP), cn_lanes_min(cn_lanes(CN_SLIDE_CLIP), turn));
        d[0] += turn * e1;
        d[1] += turn * e2;
        CnLanes scale = cn_lanes(1.0) / cn_lanes_sqrt(d[0] * d[0] + d[1] * d[1]);
        d[0] *= scale;
        d[1] *= scale;
    }
    return found;
}

// Returns the lanes that are solved.
CN_LANE_FUNCTION CnMask answer(const Lanes* lanes, double precision, CnLanes n[3]) {
    unsigned all = (1u << CN_LANES) - 1u;
    CnMask open = cn_at_most(zero(), lanes->q[0]);
    CnMask found = open;
    n[0] = n[1] = n[2] = zero();
    if (cn_mask_bits(open) != all) {
        CnMask is_smooth = cn_equal(lanes->mu, zero());
        CnLanes normal =
            (zero() - lanes->q[0]) * cn_lanes_load(lanes->group->factor[3] + lanes->first);
        found = found | is_smooth | stick(lanes, n);
        if (cn_mask_bits(found) != all) {
            found = slide(lanes, found, precision, n);
        }
        n[0] = cn_keep(cn_and_not(found, open), cn_select(is_smooth, normal, n[0]));
        n[1] = cn_keep(cn_and_not(found, open | is_smooth), n[1]);
        n[2] = cn_keep(cn_and_not(found, open | is_smooth), n[2]);
    }
    return found;
}

CN_LANE_FUNCTION unsigned visit_lanes(CnContactGroup* group, int first,
                                      double (*y)[CN_SWEEP_STRIDE], double precision) {
    Lanes lanes = {.group = group, .first = first};
    CnLanes n[3], change[3], agreement[3];
    load_bodies(&lanes, y);
    read_lanes(&lanes);
    CnMask found = answer(&lanes, precision, n);
    for (int k = 0; k < 3; ++k) {
        n[k] = cn_select(found, n[k], lanes.p[k]);
        change[k] = n[k] - lanes.p[k];
        agreement[k] = change[k] * (n[k] - cn_lanes_load(group->plain[k] + first));
        cn_lanes_store(n[k], group->p[k] + first);
    }
    CnLanes before = cn_lanes_load(group->agreement + first);
    cn_lanes_store(cn_select(found, (agreement[0] + agreement[1]) + agreement[2], before),
                   group->agreement + first);
    apply(&lanes, change);
    return (~cn_mask_bits(found) & ((1u << CN_LANES) - 1u)) << first;
}

CN_LANE_TARGET static unsigned visit(CnContactGroup* group, double (*y)[CN_SWEEP_STRIDE],
                                     double precision) {
    unsigned missed = 0;
    for (int first = 0; first < CN_GROUP; first += CN_LANES) {
        missed |= visit_lanes(group, first, y, precision);
    }
    return missed;
}

CN_LANE_FUNCTION void extrapolate_lanes(CnContactGroup* group, int first,
                                        double (*y)[CN_SWEEP_STRIDE], double most) {
    CnLanes one = cn_lanes(1.0), age = cn_lanes_load(group->age + first);
    CnLanes next = cn_lanes(0.5) * (one + cn_lanes_sqrt(one + cn_lanes(4.0) * (age * age)));
    CnLanes share = cn_lanes_min(cn_lanes(most), (age - one) / next);
    CnMask turned = cn_less(cn_lanes_load(group->agreement + first), zero());
    CnLanes n[3], ahead[3], change[3];
    share = cn_select(turned, zero(), share);
    cn_lanes_store(cn_select(turned, one, next), group->age + first);
    for (int k = 0; k < 3; ++k) {
        n[k] = cn_lanes_load(group->p[k] + first);
        ahead[k] = n[k] + share * (n[k] - cn_lanes_load(group->plain[k] + first));
        cn_lanes_store(n[k], group->plain[k] + first);
    }
    CnMask moves = cn_less(zero(), share);
    if (!cn_any(moves)) {
        return;
    }
    ahead[0] = cn_lanes_max(ahead[0], zero());
    CnLanes length = cn_lanes_sqrt(ahead[1] * ahead[1] + ahead[2] * ahead[2]);
    CnLanes limit = cn_lanes_load(group->friction + first) * ahead[0];
    CnLanes cut = cn_select(cn_less(limit, length), limit / length, one);
    ahead[1] *= cut;
    ahead[2] *= cut;
    Lanes lanes = {.group = group, .first = first};
    for (int k = 0; k < 3; ++k) {
        ahead[k] = cn_select(moves, ahead[k], n[k]);
        change[k] = ahead[k] - n[k];
        cn_lanes_store(ahead[k], group->p[k] + first);
    }
    load_bodies(&lanes, y);
    apply(&lanes, change);
}

CN_LANE_TARGET static void extrapolate(CnContactGroup* group, double (*y)[CN_SWEEP_STRIDE],
                                       double most) {
    for (int first = 0; first < CN_GROUP; first += CN_LANES) {
        extrapolate_lanes(group, first, y, most);
    }
}
