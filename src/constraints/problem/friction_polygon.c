// friction_polygon.c - the regular polygon that stands for the disc of friction in a pyramid.
#include "constraints/problem/friction_polygon.h"

#include "cairn/math.h"

void cn_friction_polygon_init(int sides, CnFrictionPolygon* polygon) {
    int half = sides / 2;
    polygon->sides = sides;
    for (int k = 0; k < half; ++k) {
        double angle = 2.0 * CN_PI * k / sides;
        bool is_right = 4 * k == sides; // pi / 2 is not a number of the machine; its cosine is
        double* corner = polygon->corner[k];
        double* opposite = polygon->corner[half + k];
        corner[0] = is_right ? 0.0 : cn_cos(angle);
        corner[1] = is_right ? 1.0 : cn_sin(angle);
        opposite[0] = -corner[0];
        opposite[1] = -corner[1];
    }
}

static double dot(const double a[2], const double b[2]) {
    return a[0] * b[0] + a[1] * b[1];
}

// The side in whose sector p lies: that whose middle is farthest in the direction of p.
static int nearest_side(const CnFrictionPolygon* polygon, const double p[2]) {
    int nearest = 0;
    double most = 0.0;
    for (int k = 0; k < polygon->sides; ++k) {
        const double* end = polygon->corner[(k + 1) % polygon->sides];
        double reach = dot(polygon->corner[k], p) + dot(end, p);
        if (k == 0 || reach > most) {
            most = reach;
            nearest = k;
        }
    }
    return nearest;
}

// The polygon is its own mirror image in the line through a corner, so the nearest point lies in
// the sector of p: within the side that closes it, or on that side.
void cn_friction_polygon_project(const CnFrictionPolygon* polygon, double radius, const double p[2],
                                 double out[2]) {
    int k = nearest_side(polygon, p);
    const double* start = polygon->corner[k];
    const double* end = polygon->corner[(k + 1) % polygon->sides];
    const double along[2] = {end[0] - start[0], end[1] - start[1]};
    const double outward[2] = {start[0] + end[0], start[1] + end[1]};
    const double from[2] = {p[0] - radius * start[0], p[1] - radius * start[1]};
    double at = dot(from, along) / dot(along, along);
    if (dot(from, outward) <= 0.0) { // inside
        out[0] = p[0];
        out[1] = p[1];
        return;
    }
    at = at < 0.0 ? 0.0 : (at > radius ? radius : at);
    out[0] = radius * start[0] + at * along[0];
    out[1] = radius * start[1] + at * along[1];
}
