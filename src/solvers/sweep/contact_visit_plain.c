// contact_visit_plain.c - the visit of a contact and its momentum, one lane at a time.
//
// The scalar reference of contact_visit_lanes.h; tests compare the two bit by bit. Equations:
// docs/theory/solvers/nsgs_momentum.md.
#include "solvers/sweep/contact_group.h"

#include <math.h>

// One lane of a group.
typedef struct Lane {
    double w[6], factor[6], mu;
    double p[3]; // before the visit
    double q[3]; // relative velocity without the contact's own impulse: (2)
} Lane;

static double larger(double x, double y) {
    return x < y ? y : x;
}

static double smaller(double x, double y) {
    return y < x ? y : x;
}

// u_k = q_k + C p_k + G_k y
static double feel(const CnContactGroup* group, int lane, int row, const double* a,
                   const double* b) {
    double g[12];
    for (int k = 0; k < 12; ++k) {
        g[k] = group->jacobian[row][k][lane];
    }
    double first = (g[0] * a[0] + g[1] * a[1]) + (g[6] * b[0] + g[7] * b[1]);
    double second = (g[2] * a[2] + g[3] * a[3]) + (g[8] * b[2] + g[9] * b[3]);
    double third = (g[4] * a[4] + g[5] * a[5]) + (g[10] * b[4] + g[11] * b[5]);
    double own = group->q[row][lane] + group->compliance[row][lane] * group->p[row][lane];
    return own + ((first + second) + third);
}

static void read_lane(const CnContactGroup* group, int lane, const double* a, const double* b,
                      Lane* out) {
    for (int k = 0; k < 6; ++k) {
        out->w[k] = group->w[k][lane];
        out->factor[k] = group->factor[k][lane];
    }
    for (int k = 0; k < 3; ++k) {
        out->p[k] = group->p[k][lane];
        out->q[k] = feel(group, lane, k, a, b);
    }
    const double *w = out->w, *p = out->p;
    out->q[0] -= (w[0] * p[0] + w[1] * p[1]) + w[2] * p[2];
    out->q[1] -= (w[1] * p[0] + w[3] * p[1]) + w[4] * p[2];
    out->q[2] -= (w[2] * p[0] + w[4] * p[1]) + w[5] * p[2];
    out->mu = group->friction[lane];
}

// p = -W^-1 q, and whether it lies in the cone: (3).
static bool stick(const Lane* lane, double n[3]) {
    const double *f = lane->factor, *q = lane->q;
    double y1 = f[0] * q[0] - q[1];
    double y2 = (f[1] * q[0] - q[2]) - f[2] * y1;
    n[2] = y2 * f[5];
    n[1] = y1 * f[4] - f[2] * n[2];
    n[0] = (0.0 - q[0] * f[3]) - f[0] * n[1] - f[1] * n[2];
    double limit = lane->mu * n[0];
    return n[0] >= 0.0 && n[1] * n[1] + n[2] * n[2] <= limit * limit;
}

// The direction to start from: that of the last impulse, else that of the sticking one.
static void first_direction(const Lane* lane, const double stuck[3], double d[2]) {
    bool has_slid = CN_NO_DIRECTION < lane->p[1] * lane->p[1] + lane->p[2] * lane->p[2];
    d[0] = has_slid ? lane->p[1] : stuck[1];
    d[1] = has_slid ? lane->p[2] : stuck[2];
    double length = sqrt(d[0] * d[0] + d[1] * d[1]);
    if (length <= CN_NO_DIRECTION) {
        d[0] = 1.0;
        length = 1.0;
    }
    double scale = 1.0 / length;
    d[0] *= scale;
    d[1] *= scale;
}

// Newton on the angle of sliding: (4)-(6). False: not found.
static bool slide(const Lane* lane, const double stuck[3], double precision, double n[3]) {
    const double *w = lane->w, *q = lane->q;
    double mu = lane->mu, d[2];
    double size = (fabs(q[0]) + fabs(q[1])) + fabs(q[2]);
    first_direction(lane, stuck, d);
    for (int i = 0; i < CN_SLIDE_STEPS; ++i) {
        double drive1 = w[1] + mu * (w[3] * d[0] + w[4] * d[1]);
        double drive2 = w[2] + mu * (w[4] * d[0] + w[5] * d[1]);
        double denominator = w[0] + mu * (w[1] * d[0] + w[2] * d[1]);
        double inverse = 1.0 / larger(CN_SLIDE_NOISE * w[0], denominator);
        double normal = (0.0 - q[0]) * inverse;
        double u1 = q[1] + normal * drive1, u2 = q[2] + normal * drive2;
        double cross = d[0] * u2 - d[1] * u1, dot = d[0] * u1 + d[1] * u2;
        if (fabs(cross) <= precision * size && dot <= CN_SLIDE_NOISE * size) {
            n[0] = normal;
            n[1] = (mu * normal) * d[0];
            n[2] = (mu * normal) * d[1];
            return true;
        }
        double e1 = 0.0 - d[1], e2 = d[0];
        double growth = (mu * (w[1] * e1 + w[2] * e2)) * inverse;
        double rate1 = normal * (mu * (w[3] * e1 + w[4] * e2) - growth * drive1);
        double rate2 = normal * (mu * (w[4] * e1 + w[5] * e2) - growth * drive2);
        double slope = (d[0] * rate2 - d[1] * rate1) - dot;
        double turn = (0.0 - cross) / slope;
        turn = larger(-CN_SLIDE_CLIP, smaller(CN_SLIDE_CLIP, turn));
        d[0] += turn * e1;
        d[1] += turn * e2;
        double scale = 1.0 / sqrt(d[0] * d[0] + d[1] * d[1]);
        d[0] *= scale;
        d[1] *= scale;
    }
    return false;
}

static bool answer(const Lane* lane, double precision, double n[3]) {
    if (lane->q[0] >= 0.0) {
        n[0] = n[1] = n[2] = 0.0;
        return true;
    }
    if (lane->mu == 0.0) {
        n[0] = (0.0 - lane->q[0]) * lane->factor[3];
        n[1] = n[2] = 0.0;
        return true;
    }
    double stuck[3];
    if (stick(lane, stuck)) {
        n[0] = stuck[0];
        n[1] = stuck[1];
        n[2] = stuck[2];
        return true;
    }
    return slide(lane, stuck, precision, n);
}

// y += G^T change
static void apply(const CnContactGroup* group, int lane, const double change[3], double* a,
                  double* b) {
    for (int k = 0; k < 6; ++k) {
        a[k] +=
            (group->jacobian[0][k][lane] * change[0] + group->jacobian[1][k][lane] * change[1]) +
            group->jacobian[2][k][lane] * change[2];
    }
    for (int k = 6; k < 12; ++k) {
        b[k - 6] +=
            (group->jacobian[0][k][lane] * change[0] + group->jacobian[1][k][lane] * change[1]) +
            group->jacobian[2][k][lane] * change[2];
    }
}

static unsigned visit(CnContactGroup* group, double (*y)[CN_SWEEP_STRIDE], double precision) {
    unsigned missed = 0;
    for (int i = 0; i < CN_GROUP; ++i) {
        Lane lane;
        double *a = y[group->slot_a[i]], *b = y[group->slot_b[i]];
        double n[3], change[3], gain[3];
        read_lane(group, i, a, b, &lane);
        if (!answer(&lane, precision, n)) {
            missed |= 1u << i;
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            change[k] = n[k] - lane.p[k];
            gain[k] = n[k] - group->plain[k][i];
            group->p[k][i] = n[k];
        }
        group->agreement[i] = (change[0] * gain[0] + change[1] * gain[1]) + change[2] * gain[2];
        apply(group, i, change, a, b);
    }
    return missed;
}

static void extrapolate(CnContactGroup* group, double (*y)[CN_SWEEP_STRIDE], double most) {
    for (int i = 0; i < CN_GROUP; ++i) {
        double n[3], ahead[3], change[3], age = group->age[i];
        double next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * (age * age)));
        double share = smaller(most, (age - 1.0) / next); // (7)
        if (group->agreement[i] < 0.0) {
            share = 0.0;
            next = 1.0;
        }
        group->age[i] = next;
        for (int k = 0; k < 3; ++k) {
            n[k] = group->p[k][i];
            ahead[k] = n[k] + share * (n[k] - group->plain[k][i]);
            group->plain[k][i] = n[k];
        }
        if (!(0.0 < share)) {
            continue;
        }
        ahead[0] = larger(ahead[0], 0.0); // (8)
        double length = sqrt(ahead[1] * ahead[1] + ahead[2] * ahead[2]);
        double limit = group->friction[i] * ahead[0];
        double cut = limit < length ? limit / length : 1.0;
        ahead[1] *= cut;
        ahead[2] *= cut;
        for (int k = 0; k < 3; ++k) {
            change[k] = ahead[k] - n[k];
            group->p[k][i] = ahead[k];
        }
        apply(group, i, change, y[group->slot_a[i]], y[group->slot_b[i]]);
    }
}

const CnGroupFunctions cn_group_functions_plain = {visit, extrapolate};
