// sweep_cast.c - when a shape that is pushed along a line first touches another.
//
// The distance f of two convex shapes is a convex function of how far one is pushed: it is the
// distance of a point to their convex difference. So the tangent of f stays below f, and Newton's
// method, started apart, never passes the first contact. Its slope comes with the nearest points:
// f' = -normal . direction. Flat shapes take two or three rounds, round ones converge
// quadratically, and shapes that graze still halve what is left in every round.
#include "collision/sweep_cast.h"

#include "collision/distance.h"

// A step shorter than this ends the search [m]: a tenth of what is promised, as steps of grazing
// shapes only halve and all that are left then sum up to the last one.
#define LAST_STEP 1e-10

// Halving 1e6 m down to the last step takes 54 rounds.
#define MAX_ROUNDS 64

static CnPlacedShape pushed(CnPlacedShape shape, CnVec3 direction, double distance) {
    shape.pose.position = cn_vec3_add_scaled(shape.pose.position, distance, direction);
    return shape;
}

bool cn_sweep_cast(CnPlacedShape moving, CnPlacedShape still, CnVec3 direction, double length,
                   CnSweepHit* hit) {
    CnNearest nearest = cn_nearest(moving, still);
    bool inside = nearest.distance <= 0.0;
    double distance = 0.0, step = INFINITY;
    for (int round = 0; round < MAX_ROUNDS && nearest.distance > 0.0 && step > LAST_STEP; ++round) {
        double approach = cn_vec3_dot(nearest.normal, direction);
        step = nearest.distance / approach;
        if (approach <= 0.0 || distance + step > length) { // the tangent is a lower bound
            return false;
        }
        distance += step;
        nearest = cn_nearest(pushed(moving, direction, distance), still);
    }
    *hit = (CnSweepHit){distance, nearest.point_b, cn_vec3_negate(nearest.normal), inside};
    return true;
}
