// smooth.c - the separation of two cores near one corner of their Minkowski difference.
#include "collision/convex/smooth.h"

#define MAX_NEWTON 24
#define MAX_CIRCLE 80 // enough even if every iteration halves a step
#define MAX_HALVINGS 12
#define LOOKS 4 // visits of each rim

// A shorter step [rad] is in the basin of Newton's method: its length squares from step to step,
// and values can no longer judge it. The last step is below the round-off of a unit vector.
#define BASIN 1e-5
#define LAST_STEP 1e-15
#define LONGEST_STEP 0.25 // [rad]

// A point aside by the radius, up to round-off, is still on the cap. Otherwise Newton's method
// would head from there for the axis, where there is no slope.
#define STILL_ON_CAP (1.0 + CN_TOUCHING)

static void add_disc(const CnShape* shape, CnVec3 axis, CnDiscs* discs) {
    if (shape->type == CN_SHAPE_CYLINDER) {
        discs->of[discs->count++] = (CnDisc){shape->radius, axis};
    }
}

CnDiscs cn_core_discs(const CnCorePair* pair) {
    CnDiscs discs = {.count = 0};
    add_disc(pair->a, cn_vec3(0.0, 0.0, 1.0), &discs);
    add_disc(pair->b,
             cn_vec3(pair->rotation.m[0][2], pair->rotation.m[1][2], pair->rotation.m[2][2]),
             &discs);
    return discs;
}

double cn_discs_reach(const CnDiscs* discs, CnVec3 n) {
    double reach = 0.0;
    for (int i = 0; i < discs->count; ++i) {
        reach += discs->of[i].radius * cn_vec3_length(cn_disc_radial(&discs->of[i], n));
    }
    return reach;
}

// (9)
static double value_at(const CnDiscs* discs, CnVec3 corner, CnVec3 n) {
    return cn_vec3_dot(n, corner) - cn_discs_reach(discs, n);
}

// The gradient of (9) along unit tangents, and its curvature without that of the sphere: (10),
// (11). False on the axis of a disc.
static bool differentiate(const CnDiscs* discs, CnVec3 corner, CnVec3 n, const CnVec3* tangents,
                          int count, double slope[2], double bend[3]) {
    CnVec3 rest = corner;
    bend[0] = bend[1] = bend[2] = 0.0;
    for (int i = 0; i < discs->count; ++i) {
        const CnDisc* disc = &discs->of[i];
        CnVec3 out = cn_disc_radial(disc, n);
        double sine = cn_vec3_length(out);
        if (!(sine > CN_ON_AXIS)) {
            return false;
        }
        // Perpendicular to the axis and to `out`, the curvature of the rim is the radius divided by
        // the sine.
        CnVec3 along_rim = cn_vec3_cross(disc->axis, cn_vec3_scale(1.0 / sine, out));
        double first = cn_vec3_dot(along_rim, tangents[0]);
        double second = count == 2 ? cn_vec3_dot(along_rim, tangents[1]) : 0.0;
        double stiffness = disc->radius / sine;
        bend[0] -= stiffness * first * first;
        bend[1] -= stiffness * first * second;
        bend[2] -= stiffness * second * second;
        rest = cn_vec3_add_scaled(rest, -stiffness, out);
    }
    for (int i = 0; i < count; ++i) {
        slope[i] = cn_vec3_dot(rest, tangents[i]);
    }
    return true;
}

// Newton's step on the sphere at a separation of `value`; false if the curvature is not negative.
static bool newton_step(const double slope[2], const double bend[3], double value, double step[2]) {
    double first = bend[0] - value, second = bend[2] - value;
    double ratio = bend[1] / first;
    double pivot = second - ratio * bend[1];
    if (!(first < 0.0 && pivot < 0.0)) {
        return false;
    }
    step[1] = -(slope[1] - ratio * slope[0]) / pivot;
    step[0] = -(slope[0] + bend[1] * step[1]) / first;
    return true;
}

static CnVec3 turned(CnVec3 n, const CnVec3 tangents[2], const double step[2], double part) {
    n = cn_vec3_add_scaled(n, part * step[0], tangents[0]);
    return cn_vec3_normalize(cn_vec3_add_scaled(n, part * step[1], tangents[1]));
}

// On the axis of a disc, all directions descend by its radius and ascend by the sideways part of
// the remainder. If the descent is larger, the axis is a maximum with a kink, which Newton's method
// would not find. With an edge only the directions along its circle matter, if the axis is on that
// circle.
static bool is_on_cap(const CnDiscs* discs, CnVec3 corner, const CnVec3* edge, int disc,
                      CnVec3 axis) {
    CnVec3 aside = cn_disc_radial(&discs->of[disc], corner);
    double radius = discs->of[disc].radius;
    for (int i = 0; i < discs->count; ++i) {
        CnVec3 out = cn_disc_radial(&discs->of[i], axis);
        double sine = cn_vec3_length(out);
        if (i != disc && sine > CN_ON_AXIS) {
            out = cn_vec3_scale(discs->of[i].radius / sine, out);
            aside = cn_vec3_sub(aside, cn_disc_radial(&discs->of[disc], out));
        } else if (i != disc) {
            radius += discs->of[i].radius;
        }
    }
    if (edge != NULL) {
        double length = cn_vec3_length(*edge);
        aside = cn_without(aside, *edge);
        if (!(fabs(cn_vec3_dot(axis, *edge)) <= CN_ON_AXIS * length)) {
            return false;
        }
    }
    return cn_vec3_length(aside) <= STILL_ON_CAP * radius;
}

static bool find_cap(const CnDiscs* discs, CnVec3 corner, const CnVec3* edge, double reach,
                     CnVec3* normal) {
    for (int i = 0; i < discs->count; ++i) {
        CnVec3 axis = discs->of[i].axis;
        double cosine = cn_vec3_dot(axis, *normal);
        axis = cosine < 0.0 ? cn_vec3_negate(axis) : axis;
        if (fabs(cosine) >= reach && is_on_cap(discs, corner, edge, i, axis)) {
            *normal = axis;
            return true;
        }
    }
    return false;
}

// A start: the direction of a corner seen from the rims, each rim in turn seen from the other. For
// one disc this is the maximum already, for two it is close.
static CnVec3 look_from_rims(const CnDiscs* discs, CnVec3 corner, CnVec3 n) {
    CnVec3 rims[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    CnVec3 rest = corner;
    for (int i = 0; i < discs->count; ++i) {
        const CnDisc* disc = &discs->of[i];
        rims[i] = cn_vec3_scale(disc->radius, cn_vec3_normalize(cn_disc_radial(disc, n)));
        rest = cn_vec3_sub(rest, rims[i]);
    }
    for (int i = 0; i < LOOKS * discs->count; ++i) {
        int k = i % discs->count;
        const CnDisc* disc = &discs->of[k];
        CnVec3 free = cn_vec3_add(rest, rims[k]);
        rims[k] = cn_vec3_scale(disc->radius, cn_vec3_normalize(cn_disc_radial(disc, free)));
        rest = cn_vec3_sub(free, rims[k]);
    }
    return cn_vec3_normalize(rest);
}

// Newton's method on the sphere; each step is halved until it ascends.
static bool maximise_on_sphere(const CnDiscs* discs, CnVec3 corner, double reach, CnVec3* normal) {
    CnVec3 n = *normal, looked = look_from_rims(discs, corner, n);
    bool is_near = cn_vec3_dot(looked, n) >= reach;
    if (is_near && value_at(discs, corner, looked) > value_at(discs, corner, n)) {
        n = looked;
    }
    for (int i = 0; i < MAX_NEWTON; ++i) {
        CnVec3 tangents[2];
        double slope[2], bend[3], step[2];
        double value = value_at(discs, corner, n);
        cn_tangent_basis(n, &tangents[0], &tangents[1]);
        if (!differentiate(discs, corner, n, tangents, 2, slope, bend)) {
            return false;
        }
        // For overlapping cores the curvature may be positive: then it is taken as if they were as
        // far apart as they overlap.
        if (!newton_step(slope, bend, value, step) &&
            !newton_step(slope, bend, fabs(value), step)) {
            return false;
        }
        double length = sqrt(step[0] * step[0] + step[1] * step[1]);
        double part = length > LONGEST_STEP ? LONGEST_STEP / length : 1.0;
        CnVec3 next = turned(n, tangents, step, part);
        for (int k = 0; k < MAX_HALVINGS && length > BASIN; ++k) {
            if (value_at(discs, corner, next) >= value) {
                break;
            }
            part *= 0.5;
            next = turned(n, tangents, step, part);
        }
        n = next;
        if (length <= LAST_STEP) {
            break;
        }
    }
    *normal = n;
    return true;
}

// Newton's method on the circle perpendicular to an edge, kept between the last angles where the
// slope was positive and negative.
static bool maximise_on_circle(const CnDiscs* discs, CnVec3 corner, CnVec3 edge, CnVec3* normal) {
    CnVec3 start = cn_vec3_normalize(cn_without(cn_without(*normal, edge), edge));
    CnVec3 ahead = cn_vec3_normalize(cn_vec3_cross(edge, start));
    double low = -HUGE_VAL, high = HUGE_VAL, angle = 0.0;
    if (!(cn_vec3_dot(ahead, ahead) > 0.0)) {
        return false;
    }
    for (int i = 0; i < MAX_CIRCLE; ++i) {
        double cosine = cn_cos(angle), sine = cn_sin(angle);
        CnVec3 n = cn_vec3_add_scaled(cn_vec3_scale(cosine, start), sine, ahead);
        CnVec3 tangents[1] = {cn_vec3_add_scaled(cn_vec3_scale(cosine, ahead), -sine, start)};
        double slope[2], bend[3];
        *normal = n;
        if (!differentiate(discs, corner, n, tangents, 1, slope, bend)) {
            return false;
        }
        low = slope[0] > 0.0 ? angle : low;
        high = slope[0] > 0.0 ? high : angle;
        double curve = bend[0] - value_at(discs, corner, n);
        double step = curve < 0.0 ? -slope[0] / curve : copysign(LONGEST_STEP, slope[0]);
        double next = angle + fmin(fmax(step, -LONGEST_STEP), LONGEST_STEP);
        if (!(next > low && next < high)) {
            next = isfinite(low) && isfinite(high) ? 0.5 * (low + high) : next;
        }
        if (fabs(step) <= LAST_STEP || next == angle) {
            break;
        }
        angle = next;
    }
    return true;
}

// The maximum of (9) for one corner, on the sphere or, with an edge, on the circle perpendicular to
// it.
bool cn_smooth_maximise(const CnDiscs* discs, CnVec3 corner, const CnVec3* edge, double reach,
                        CnVec3* normal) {
    if (find_cap(discs, corner, edge, reach, normal)) {
        return true;
    }
    return edge != NULL ? maximise_on_circle(discs, corner, *edge, normal)
                        : maximise_on_sphere(discs, corner, reach, normal);
}
