// free_rotation.c - how a body turns when no moment acts on it: moreau.md (18), (21), (25), (26).
#include "world/turning/free_rotation.h"

#include "math/simd.h"

#include <float.h>

// A series whose last terms are not negligible is summed over half the part, so often at most.
#define MOST_HALVINGS 16

// Parts of a turn, 128 rad in all. Longer turns end as moreau.md says: a step must end.
#define MOST_PARTS 256

// J W x W = (J - c) W x W for any number c. With the largest moment as c, what cancels for slender
// bodies, whose two larger moments differ by less than the third, cancels in J already.
typedef struct Rotor {
    CnMat3 inertia, inverse;
    CnMat3 shifted; // inertia less its largest moment
} Rotor;

// Scaled coefficients: spin and attitude after the share x of a part are the sums over k of
// spin[k] x^k and attitude[k] x^k.
typedef struct Series {
    CnVec3 spin[CN_TURN_TERMS];
    CnVec3 shifted[CN_TURN_TERMS]; // (J - c) times spin
    CnQuat attitude[CN_TURN_TERMS];
    double size[CN_TURN_TERMS]; // of each term but the first: of the spin against its first, and of
                                // a turn
    int count;
} Series;

static Rotor rotor_of(const CnMat3* inertia, const CnMat3* inverse) {
    const double(*m)[3] = inertia->m;
    double largest = fmax(m[0][0], fmax(m[1][1], m[2][2]));
    Rotor rotor = {*inertia, *inverse, *inertia};
    for (int i = 0; i < 3; ++i) {
        rotor.shifted.m[i][i] -= largest;
    }
    return rotor;
}

static CnVec3 gyration(const Rotor* rotor, CnVec3 spin) {
    return cn_mat3_apply(&rotor->inverse,
                         cn_vec3_cross(cn_mat3_apply(&rotor->shifted, spin), spin));
}

// Adds b w to a: the product of a quaternion and a vector.
static CnQuat add_product(CnQuat a, CnQuat b, CnVec3 w) {
    return cn_quat(a.w - b.x * w.x - b.y * w.y - b.z * w.z, a.x + b.w * w.x + b.y * w.z - b.z * w.y,
                   a.y + b.w * w.y + b.z * w.x - b.x * w.z,
                   a.z + b.w * w.z + b.x * w.y - b.y * w.x);
}

static CnQuat scale(double s, CnQuat q) {
    return cn_quat(s * q.w, s * q.x, s * q.y, s * q.z);
}

static double size_of(CnVec3 v) {
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

static void add_term(const Rotor* rotor, double length, Series* series) {
    int k = series->count++;
    CnVec3 twist = {0.0, 0.0, 0.0};
    CnQuat turn = {0.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < k; ++i) {
        CnVec3 spin = series->spin[k - 1 - i];
        twist = cn_vec3_add(twist, cn_vec3_cross(series->shifted[i], spin));
        turn = add_product(turn, series->attitude[i], spin);
    }
    series->spin[k] = cn_vec3_scale(length / k, cn_mat3_apply(&rotor->inverse, twist));
    series->shifted[k] = cn_mat3_apply(&rotor->shifted, series->spin[k]);
    CnQuat q = series->attitude[k] = scale(0.5 * length / k, turn);
    series->size[k] = size_of(series->spin[k]) / size_of(series->spin[0]) +
                      size_of(cn_vec3(q.x, q.y, q.z)) + fabs(q.w);
}

// Of the last two terms at the share x, since one alone may vanish by chance: their size against
// the first.
static double last_terms(const Series* series, double x) {
    double size = 0.0, power = 1.0;
    for (int k = 1; k < series->count - 2; ++k) {
        power *= x;
    }
    for (int k = series->count - 2; k < series->count; ++k) {
        power *= x;
        size += power * series->size[k];
    }
    return size;
}

static void expand(const Rotor* rotor, CnVec3 spin, double length, Series* series) {
    series->count = 1;
    series->spin[0] = spin;
    series->shifted[0] = cn_mat3_apply(&rotor->shifted, spin);
    series->attitude[0] = cn_quat_identity();
    while (series->count < CN_TURN_TERMS) {
        add_term(rotor, length, series);
        int last = series->count - 1;
        if (last > 1 && series->size[last - 1] + series->size[last] < 0.5 * DBL_EPSILON) {
            break;
        }
    }
}

static void sum(const Series* series, double x, CnVec3* spin, CnQuat* turn) {
    *spin = series->spin[series->count - 1];
    CnQuat q = series->attitude[series->count - 1];
    for (int k = series->count - 2; k >= 0; --k) {
        CnQuat next = series->attitude[k];
        *spin = cn_vec3_add_scaled(series->spin[k], x, *spin);
        q = cn_quat(next.w + x * q.w, next.x + x * q.x, next.y + x * q.y, next.z + x * q.z);
    }
    *turn = cn_quat_normalize(q);
}

// One part of at most the given length; returns the time it took.
static double turn_part(const Rotor* rotor, double length, CnVec3* spin, CnQuat* turn) {
    Series series;
    double share = 1.0;
    CnQuat part;
    length = fmin(length, CN_TURN_OF_PART / cn_vec3_length(*spin));
    expand(rotor, *spin, length, &series);
    for (int i = 0; i < MOST_HALVINGS && last_terms(&series, share) > DBL_EPSILON; ++i) {
        share *= 0.5;
    }
    sum(&series, share, spin, &part);
    *turn = cn_quat_normalize(cn_quat_multiply(*turn, part));
    return share * length;
}

// The turn about the angular momentum that leaves the spin as it is in body axes.
static CnQuat turn_about_momentum(const Rotor* rotor, CnVec3 spin, double h) {
    CnVec3 momentum = cn_mat3_apply(&rotor->inertia, spin);
    double rate = cn_vec3_dot(spin, momentum) / cn_vec3_dot(momentum, momentum);
    return cn_quat_exp(cn_vec3_scale(h * rate, momentum));
}

// A short turn, as one rotation vector: docs/theory/moreau.md (25).
static CnQuat turn_shortly(const Rotor* rotor, double h, CnVec3* spin) {
    CnVec3 w[CN_SHORT_TERMS], shifted[CN_SHORT_TERMS];
    w[0] = *spin;
    for (int k = 1; k < CN_SHORT_TERMS; ++k) {
        CnVec3 twist = {0.0, 0.0, 0.0};
        shifted[k - 1] = cn_mat3_apply(&rotor->shifted, w[k - 1]);
        for (int i = 0; i < k; ++i) {
            twist = cn_vec3_add(twist, cn_vec3_cross(shifted[i], w[k - 1 - i]));
        }
        w[k] = cn_vec3_scale(h / k, cn_mat3_apply(&rotor->inverse, twist));
    }
    CnVec3 s1 = cn_vec3_scale(h, w[0]), s2 = cn_vec3_scale(h / 2.0, w[1]);
    CnVec3 c2 = cn_vec3_add(cn_vec3_cross(s1, w[1]), cn_vec3_cross(s2, w[0]));
    CnVec3 s3 = cn_vec3_scale(h / 3.0, cn_vec3_add_scaled(w[2], 0.5, c2));
    CnVec3 c3 = cn_vec3_add(cn_vec3_cross(s1, w[2]), cn_vec3_cross(s3, w[0]));
    CnVec3 d3 = cn_vec3_cross(s1, c2);
    CnVec3 s4 = cn_vec3_scale(
        h / 4.0, cn_vec3_add_scaled(cn_vec3_add_scaled(w[3], 0.5, c3), 1.0 / 12.0, d3));
    CnVec3 c4 = cn_vec3_add(cn_vec3_add(cn_vec3_cross(s1, w[3]), cn_vec3_cross(s2, w[2])),
                            cn_vec3_add(cn_vec3_cross(s3, w[1]), cn_vec3_cross(s4, w[0])));
    CnVec3 d4 = cn_vec3_add(cn_vec3_cross(s1, c3), cn_vec3_cross(s2, c2));
    CnVec3 s5 = cn_vec3_scale(
        h / 5.0, cn_vec3_add_scaled(cn_vec3_add_scaled(w[4], 0.5, c4), 1.0 / 12.0, d4));
    *spin = w[CN_SHORT_TERMS - 1];
    for (int k = CN_SHORT_TERMS - 2; k >= 0; --k) {
        *spin = cn_vec3_add(w[k], *spin);
    }
    return cn_quat_exp(cn_vec3_add(s1, cn_vec3_add(s2, cn_vec3_add(s3, cn_vec3_add(s4, s5)))));
}

// A body that is round about z turns about its angular momentum, and back about z: (26).
static CnQuat turn_round(const CnMat3* inertia, double h, CnVec3* spin) {
    double share = inertia->m[2][2] / inertia->m[0][0], back = h * ((1.0 - share) * spin->z);
    CnVec3 momentum = cn_vec3(spin->x, spin->y, share * spin->z);
    CnQuat own = cn_quat_exp(cn_vec3(0.0, 0.0, back));
    *spin = cn_quat_unrotate(own, *spin);
    return cn_quat_multiply(cn_quat_exp(cn_vec3_scale(h, momentum)), own);
}

CnQuat cn_free_rotation(const CnMat3* inertia, const CnMat3* inverse, double h, CnVec3* spin) {
    if (spin->x == 0.0 && spin->y == 0.0 && spin->z == 0.0) {
        return cn_quat_identity();
    }
    if (cn_turns_evenly(inertia, *spin)) {
        return cn_quat_exp(cn_vec3_scale(h, *spin));
    }
    if (cn_is_round(inertia, *spin)) {
        return turn_round(inertia, h, spin);
    }
    Rotor rotor = rotor_of(inertia, inverse);
    if (h * cn_vec3_length(*spin) <= CN_SHORT_TURN) {
        return turn_shortly(&rotor, h, spin);
    }
    CnVec3 change = cn_vec3_scale(h, gyration(&rotor, *spin));
    if (cn_vec3_length(change) <= 0.5 * DBL_EPSILON * cn_vec3_length(*spin)) {
        return cn_quat_exp(cn_vec3_scale(h, *spin)); // a principal axis, hardly any turn
    }
    CnQuat turn = cn_quat_identity();
    double left = h;
    for (int i = 0; i < MOST_PARTS && left > 0.0; ++i) {
        left -= turn_part(&rotor, left, spin, &turn);
    }
    return left > 0.0 ? cn_quat_multiply(turn, turn_about_momentum(&rotor, *spin, left)) : turn;
}

void cn_free_rotations(int count, double h, CnFreeTurn* turns) {
    CN_WIDEST(cn_free_rotations)(count, h, turns);
}
