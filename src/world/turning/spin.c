// spin.c - spins of given angular momenta, and turns of more than half a turn.
#include "world/turning/spin.h"

#include <float.h>
#include <math.h>

#define ITERATIONS 50 // of Newton; from a good guess five suffice
#define HALVINGS 10   // of one of its steps

// The equation counts as solved when it is off by the round-off of a few dozen operations.
#define ROUND_OFF (64.0 * DBL_EPSILON)

// When the guess does not lead to a solution the turn is made longer little by little, in so many
// parts: where solutions fold, more do not help.
#define MOST_PARTS 64

// (t - sin t) / t^3 and (1 - cos t) / t^2 below this angle are 1/6 and 1/2 up to t^2 [rad].
#define SMALL_ANGLE 1e-4

static CnMat3 cross_matrix(CnVec3 v) {
    return (CnMat3){.m = {{0.0, -v.z, v.y}, {v.z, 0.0, -v.x}, {-v.y, v.x, 0.0}}};
}

// A of exp(turn + d) = exp(turn) exp(A d) for small d: docs/theory/implicit.md (5).
static CnMat3 turn_slope(CnVec3 turn) {
    double t = cn_vec3_length(turn);
    bool small = t < SMALL_ANGLE;
    double first = small ? 0.5 - t * t / 24.0 : (1.0 - cn_cos(t)) / (t * t);
    double second = small ? 1.0 / 6.0 - t * t / 120.0 : (t - cn_sin(t)) / (t * t * t);
    CnMat3 once = cross_matrix(turn), twice = cn_mat3_multiply(&once, &once);
    CnMat3 slope;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            slope.m[i][k] = (i == k ? 1.0 : 0.0) - first * once.m[i][k] + second * twice.m[i][k];
        }
    }
    return slope;
}

// J W - exp(-h W) m: zero at the solution, and as long as exp(h W) J W - m everywhere.
static CnVec3 defect_at(const CnMat3* inertia, CnVec3 spin, CnVec3 momentum, double h,
                        CnVec3* seen) {
    *seen = cn_quat_rotate(cn_quat_exp(cn_vec3_scale(-h, spin)), momentum);
    return cn_vec3_sub(cn_mat3_apply(inertia, spin), *seen);
}

// One step of Newton's method, shortened until it helps. False: it does not.
static bool improve(const CnMat3* inertia, CnVec3 momentum, double h, CnVec3* spin, double* size) {
    CnVec3 seen, defect = defect_at(inertia, *spin, momentum, h, &seen);
    CnMat3 turning = turn_slope(cn_vec3_scale(h, *spin)), across = cross_matrix(seen);
    CnMat3 slope = cn_mat3_multiply(&across, &turning), inverse;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            slope.m[i][k] = inertia->m[i][k] - h * slope.m[i][k];
        }
    }
    if (!cn_mat3_invert(&slope, &inverse)) {
        return false;
    }
    CnVec3 change = cn_mat3_apply(&inverse, defect);
    double share = 1.0;
    for (int i = 0; i < HALVINGS; ++i, share *= 0.5) {
        CnVec3 trial = cn_vec3_add_scaled(*spin, -share, change);
        double now = cn_vec3_length(defect_at(inertia, trial, momentum, h, &seen));
        if (now < *size) {
            *spin = trial;
            *size = now;
            return true;
        }
    }
    return false;
}

// Newton's method from a guess; returns the size of what is left.
static double descend(const CnMat3* inertia, CnVec3 momentum, double h, CnVec3* spin) {
    CnVec3 seen;
    double size = cn_vec3_length(defect_at(inertia, *spin, momentum, h, &seen));
    for (int i = 0; i < ITERATIONS && improve(inertia, momentum, h, spin, &size); ++i) {
    }
    return size;
}

// The best spin so far.
typedef struct BestSpin {
    CnVec3 spin;
    double size, wanted; // of the defect
} BestSpin;

static void keep(BestSpin* best, CnVec3 spin, double size) {
    if (size < best->size) {
        best->spin = spin;
        best->size = size;
    }
}

// From no turn at all, where the answer is known, to the whole turn in equal parts.
static void follow_turn(const CnMat3* inertia, const CnMat3* inverse, CnVec3 momentum, double h,
                        BestSpin* best) {
    for (int parts = 4; parts <= MOST_PARTS && best->size > best->wanted; parts *= 4) {
        CnVec3 spin = cn_mat3_apply(inverse, momentum);
        double size = HUGE_VAL;
        for (int i = 1; i <= parts; ++i) {
            size = descend(inertia, momentum, h * i / parts, &spin);
        }
        keep(best, spin, size);
    }
}

// A solution has |J W| = |momentum|: from all around that surface, corners and middles of a cube.
static void start_around(const CnMat3* inertia, const CnMat3* inverse, CnVec3 momentum, double h,
                         BestSpin* best) {
    for (int i = 0; i < 27 && best->size > best->wanted; ++i) {
        CnVec3 direction = cn_vec3(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);
        double length = cn_vec3_length(direction);
        if (length > 0.0) {
            double scale = cn_vec3_length(momentum) / length;
            CnVec3 spin = cn_mat3_apply(inverse, cn_vec3_scale(scale, direction));
            double size = descend(inertia, momentum, h, &spin);
            keep(best, spin, size);
        }
    }
}

CnVec3 cn_spin_of_momentum(const CnMat3* inertia, CnVec3 guess, CnVec3 momentum, double h) {
    CnMat3 inverse;
    BestSpin best = {guess, HUGE_VAL, ROUND_OFF * cn_vec3_length(momentum)};
    best.size = descend(inertia, momentum, h, &best.spin);
    if (best.size > best.wanted && cn_mat3_invert(inertia, &inverse)) {
        follow_turn(inertia, &inverse, momentum, h, &best);
        start_around(inertia, &inverse, momentum, h, &best);
    }
    return best.spin;
}

CnVec3 cn_turn_near(CnQuat from, CnQuat to, CnVec3 near) {
    CnVec3 shortest = cn_quat_log(cn_quat_multiply(to, cn_quat_conjugate(from)));
    double angle = cn_vec3_length(shortest);
    if (cn_vec3_length(near) < CN_PI || !(angle > 0.0)) {
        return cn_vec3_length(near) < CN_PI ? shortest : near;
    }
    CnVec3 axis = cn_vec3_scale(1.0 / angle, shortest);
    double turns = floor((cn_vec3_dot(near, axis) - angle) / (2.0 * CN_PI) + 0.5);
    return cn_vec3_scale(angle + 2.0 * CN_PI * turns, axis);
}

CnVec3 cn_turn_between(CnQuat from, CnQuat to, CnVec3 turn, CnVec3 added) {
    bool is_short = cn_vec3_length(turn) + cn_vec3_length(added) < CN_PI;
    return is_short ? cn_quat_log(cn_quat_multiply(to, cn_quat_conjugate(from)))
                    : cn_vec3_add(turn, added);
}
