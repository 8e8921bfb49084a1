// time_of_impact.c - when two moving shapes first come closer than allowed.
//
// Conservative advancement: a separating direction stays one for a while; the separation shrinks at
// most by how far the shapes can move along it. docs/theory/collision/continuous.md (2)-(6).
#include "collision/cast/time_of_impact.h"

#include "collision/convex/distance.h"
#include "geometry/support.h"

// Distance queries a search may use. Shapes that approach head-on need about ten. Shapes that turn
// fast, close to each other and without touching, need the most.
#define MAX_ROUNDS 512

// The limit counts as reached when this fraction of the interval from touch to limit is left.
#define REACHED 0.01

// Accuracy of the touch [m] and the iterations it may take. Every third one is a bisection;
// bisection alone would halve a leg 33 times.
#define TOUCH_TOLERANCE 1e-9
#define MAX_TOUCH_ROUNDS 100

CnTransform cn_sweep_at(const CnSweep* sweep, double u) {
    double now = fmin(u, sweep->stop);
    int last = CN_SWEEP_LEGS - 1;
    int index = now < last ? (int)now : last;
    const CnLeg* leg = &sweep->legs[index];
    double t = now - index;
    return (CnTransform){
        cn_vec3_add_scaled(leg->start.position, t, leg->move),
        cn_quat_multiply(cn_quat_exp(cn_vec3_scale(t, leg->turn)), leg->start.rotation),
    };
}

static CnNearest nearest_at(const CnSweptShape* a, const CnSweptShape* b, double u) {
    return cn_nearest(cn_shape_place(a->shape, cn_sweep_at(a->sweep, u)),
                      cn_shape_place(b->shape, cn_sweep_at(b->sweep, u)));
}

static bool has_axis(const CnShape* shape) {
    return shape->type == CN_SHAPE_CAPSULE || shape->type == CN_SHAPE_CYLINDER;
}

// How fast rotation can move points of a shape along n: docs/theory/collision/continuous.md (4),
// (5).
static double turning_speed(const CnSweptShape* swept, const CnLeg* leg, CnVec3 n) {
    const CnShape* shape = swept->shape;
    double across = cn_vec3_length(cn_vec3_cross(leg->turn, n));
    double own = across;
    if (has_axis(shape)) { // a wheel may spin about its axis
        CnQuat rotation = cn_quat_multiply(leg->start.rotation, shape->local.rotation);
        CnVec3 axis = cn_quat_rotate(rotation, cn_vec3(0.0, 0.0, 1.0));
        own = fmin(across, cn_vec3_length(cn_vec3_cross(leg->turn, axis)));
    }
    double core = fmax(0.0, shape->extent - cn_shape_rounding(shape));
    return across * cn_vec3_length(shape->local.position) + own * core;
}

// The points of a turning half space move faster the further they are from its centre. The bound
// takes the far end of the other shape, anywhere in this leg. docs/theory/collision/continuous.md
// (6).
static double turning_plane_speed(const CnLeg* plane, const CnLeg* other, const CnShape* shape) {
    CnVec3 apart = cn_vec3_sub(other->start.position, plane->start.position);
    CnVec3 move = cn_vec3_sub(other->move, plane->move);
    double arm = cn_vec3_length(apart) + cn_vec3_length(move) +
                 cn_vec3_length(shape->local.position) + shape->extent;
    return cn_vec3_length(plane->turn) * arm + cn_vec3_length(move);
}

static bool is_turning_plane(const CnSweptShape* swept, const CnLeg* leg) {
    return swept->shape->type == CN_SHAPE_PLANE && cn_vec3_length(leg->turn) > 0.0;
}

// An upper bound, within the leg, of the speed of approach along n, per unit of u.
static double closing_speed(const CnSweptShape* a, const CnSweptShape* b, int leg, CnVec3 n) {
    const CnLeg* leg_a = &a->sweep->legs[leg];
    const CnLeg* leg_b = &b->sweep->legs[leg];
    if (is_turning_plane(a, leg_a)) {
        return turning_plane_speed(leg_a, leg_b, b->shape) + turning_speed(b, leg_b, n);
    }
    if (is_turning_plane(b, leg_b)) {
        return turning_plane_speed(leg_b, leg_a, a->shape) + turning_speed(a, leg_a, n);
    }
    // A stopped body no longer moves, neither towards the other nor away from it.
    bool moves_a = a->sweep->stop > leg, moves_b = b->sweep->stop > leg;
    double along_a = moves_a ? cn_vec3_dot(n, leg_a->move) : 0.0;
    double along_b = moves_b ? -cn_vec3_dot(n, leg_b->move) : 0.0;
    along_a = a->sweep->stop < leg + 1 ? fmax(along_a, 0.0) : along_a;
    along_b = b->sweep->stop < leg + 1 ? fmax(along_b, 0.0) : along_b;
    return along_a + along_b + (moves_a ? turning_speed(a, leg_a, n) : 0.0) +
           (moves_b ? turning_speed(b, leg_b, n) : 0.0);
}

// The time between apart and deep at which the distance equals the level: false position, with a
// bisection every third iteration so that no curve can stall it.
static double find_touch(const CnSweptShape* a, const CnSweptShape* b, double apart, double deep,
                         double above, double below, double level, int* rounds) {
    for (int i = 1; i <= MAX_TOUCH_ROUNDS; ++i) {
        double share = i % 3 == 0 ? 0.5 : above / (above - below);
        double u = apart + share * (deep - apart);
        double excess = nearest_at(a, b, u).distance - level;
        ++*rounds;
        if (fabs(excess) <= TOUCH_TOLERANCE || !(u > apart && u < deep)) {
            return u;
        }
        if (excess > 0.0) {
            apart = u;
            above = excess;
        } else {
            deep = u;
            below = excess;
        }
    }
    return apart;
}

CnImpactTime cn_time_of_impact(const CnSweptShape* a, const CnSweptShape* b,
                               CnImpactLevels levels) {
    CnImpactTime impact = {.end = CN_IMPACT_ROUNDS, .touch = -1.0};
    double reached = levels.limit + REACHED * (levels.touch - levels.limit);
    double u = 0.0, apart = -1.0, above = 0.0, distance = 0.0;

    while (impact.rounds < MAX_ROUNDS) {
        CnNearest nearest = nearest_at(a, b, u);
        distance = nearest.distance;
        ++impact.rounds;
        if (distance > levels.apart) {
            apart = u;
            above = distance - levels.touch;
        }
        if (distance <= reached) {
            impact.end = CN_IMPACT_FOUND;
            break;
        }
        int leg = (int)u;
        double speed = closing_speed(a, b, leg, nearest.normal);
        double next = speed > 0.0 ? u + (distance - levels.limit) / speed : HUGE_VAL;
        u = fmin(next, leg + 1.0);
        if (u >= CN_SWEEP_LEGS) {
            return (CnImpactTime){CN_IMPACT_NONE, CN_SWEEP_LEGS, -1.0, impact.rounds};
        }
    }
    impact.limit = u;
    if (apart >= 0.0) {
        impact.touch = distance > levels.touch
                           ? apart
                           : find_touch(a, b, apart, u, above, distance - levels.touch,
                                        levels.touch, &impact.rounds);
    }
    return impact;
}
