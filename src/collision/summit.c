// summit.c - the direction that parts two cores best, climbed to from one nearby.
//
// A cylinder is a segment with a disc rolled along it, so every core is a polyhedron, or none, plus
// a disc, or none. Corners of the polyhedra come and go as in GJK, but the discs are kept whole:
// between corners the separation is a smooth function of the normal, and Newton's method finds its
// summit to round-off. docs/theory/gjk.md (9) to (12).
#include "collision/summit.h"

#include "geometry/support.h"
#include "math/mat3.h"

#define MAX_CORNERS 4 // three carry a summit, one is new
#define MAX_ROUNDS 64 // corners come and go; polyhedra take up to ten rounds
#define MAX_NEWTON 24
#define MAX_HALVINGS 12

// A step this short [rad] is in the basin of Newton's method: its length squares from step to step,
// and values can no longer judge it. The last step is below round-off of a unit vector.
#define BASIN 1e-5
#define LAST_STEP 1e-15
#define LONGEST_STEP 0.25 // [rad]

// A gain of the separation that is none, relative to the size.
#define SETTLED 4e-15

// Weights of carrying corners below zero by no more than this are round-off; the points that prove
// a summit meet along its normal to this, relative to the size.
#define PROOF 1e-12

// Nearer than this [rad] to its axis, a disc is a flat and not a rim: there is no slope.
#define ON_AXIS 1e-12
#define OFF_AXIS 1e-2 // how far it is left [rad]

typedef struct Disc {
    double radius; // [m]
    CnVec3 axis;   // unit
} Disc;

typedef struct Climb {
    const CnCorePair* pair;
    Disc discs[2]; // [disc_count]
    int disc_count;
    CnCorePoint corners[MAX_CORNERS]; // of the difference of the polyhedra; the newest last
    int corner_count;
} Climb;

// Corners that the separation is equal for at a normal, and its value there.
typedef struct Summit {
    CnVec3 normal;
    double value; // [m]
    int carriers[3];
    int carrier_count; // 0: none found
} Summit;

static void add_disc(Climb* climb, const CnShape* shape, CnVec3 axis) {
    if (shape->type == CN_SHAPE_CYLINDER) {
        climb->discs[climb->disc_count++] = (Disc){shape->radius, axis};
    }
}

static CnVec3 corner_of(const CnShape* shape, CnVec3 direction) {
    if (shape->type == CN_SHAPE_CYLINDER) {
        return cn_vec3(0.0, 0.0, copysign(shape->half_length, direction.z));
    }
    return cn_shape_support(shape, direction);
}

static CnCorePoint corner_along(const CnCorePair* pair, CnVec3 normal) {
    CnVec3 inward = cn_vec3_negate(cn_mat3_apply_transposed(&pair->rotation, normal));
    CnVec3 local_b = corner_of(pair->b, inward);
    CnCorePoint corner = {
        .a = corner_of(pair->a, normal),
        .b = cn_vec3_add(pair->offset, cn_mat3_apply(&pair->rotation, local_b)),
    };
    corner.difference = cn_vec3_sub(corner.b, corner.a);
    return corner;
}

// What of n is square to the axis.
static CnVec3 radial(const Disc* disc, CnVec3 n) {
    return cn_vec3_add_scaled(n, -cn_vec3_dot(n, disc->axis), disc->axis);
}

// (9): the separation along n as one corner sees it.
static double value_at(const Climb* climb, const CnCorePoint* corner, CnVec3 n) {
    double value = cn_vec3_dot(n, corner->difference);
    for (int i = 0; i < climb->disc_count; ++i) {
        value -= climb->discs[i].radius * cn_vec3_length(radial(&climb->discs[i], n));
    }
    return value;
}

// The least of all corners at hand.
static double least_value_at(const Climb* climb, CnVec3 n) {
    double least = HUGE_VAL;
    for (int i = 0; i < climb->corner_count; ++i) {
        least = fmin(least, cn_vec3_dot(n, climb->corners[i].difference));
    }
    for (int i = 0; i < climb->disc_count; ++i) {
        least -= climb->discs[i].radius * cn_vec3_length(radial(&climb->discs[i], n));
    }
    return least;
}

// Slope of (9) along unit tangents and its bend without that of the sphere: (10), (11). False on
// the axis of a disc.
static bool differentiate(const Climb* climb, const CnCorePoint* corner, CnVec3 n,
                          const CnVec3* tangents, int count, double slope[2], double bend[3]) {
    CnVec3 rest = corner->difference;
    bend[0] = bend[1] = bend[2] = 0.0;
    for (int i = 0; i < climb->disc_count; ++i) {
        const Disc* disc = &climb->discs[i];
        CnVec3 out = radial(disc, n);
        double sine = cn_vec3_length(out);
        if (!(sine > ON_AXIS)) {
            return false;
        }
        // Square to the axis and to out the rim bends with the radius over the sine.
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

// Newton's step where the separation is value; false where it does not bend down.
static bool newton_step(const double slope[2], const double bend[3], double value, int count,
                        double step[2]) {
    double first = bend[0] - value, second = bend[2] - value;
    step[1] = 0.0;
    if (!(first < 0.0)) {
        return false;
    }
    if (count == 1) {
        step[0] = -slope[0] / first;
        return true;
    }
    double ratio = bend[1] / first;
    double pivot = second - ratio * bend[1];
    if (!(pivot < 0.0)) {
        return false;
    }
    step[1] = -(slope[1] - ratio * slope[0]) / pivot;
    step[0] = -(slope[0] + bend[1] * step[1]) / first;
    return true;
}

static CnVec3 without(CnVec3 n, CnVec3 edge) {
    return cn_vec3_add_scaled(n, -cn_vec3_dot(n, edge) / cn_vec3_dot(edge, edge), edge);
}

static CnVec3 turned(CnVec3 n, const CnVec3* tangents, int count, const double step[2],
                     double part) {
    for (int i = 0; i < count; ++i) {
        n = cn_vec3_add_scaled(n, part * step[i], tangents[i]);
    }
    return cn_vec3_normalize(n);
}

// On the axis of a disc all ways lead down by its radius, and up by what of the corner is aside:
// leaves the axis the way that leads up most. Where none does the axis itself is the summit.
static CnVec3 off_axis(const Climb* climb, const CnCorePoint* corner, CnVec3 n) {
    for (int i = 0; i < climb->disc_count; ++i) {
        if (cn_vec3_length(radial(&climb->discs[i], n)) <= ON_AXIS) {
            CnVec3 aside = cn_vec3_normalize(radial(&climb->discs[i], corner->difference));
            n = cn_vec3_normalize(cn_vec3_add_scaled(n, OFF_AXIS, aside));
        }
    }
    return n;
}

// The summit of (9) for one corner, on the sphere or, with an edge, on the circle square to it.
static bool climb_smooth(const Climb* climb, const CnCorePoint* corner, const CnVec3* edge,
                         CnVec3* normal) {
    int count = edge != NULL ? 1 : 2;
    CnVec3 n = off_axis(climb, corner, *normal);
    for (int i = 0; i < MAX_NEWTON; ++i) {
        CnVec3 tangents[2];
        double slope[2], bend[3], step[2];
        if (edge != NULL) {
            n = cn_vec3_normalize(without(n, *edge));
            tangents[0] = cn_vec3_normalize(cn_vec3_cross(*edge, n));
        } else {
            cn_tangent_basis(n, &tangents[0], &tangents[1]);
        }
        double value = value_at(climb, corner, n);
        if (!differentiate(climb, corner, n, tangents, count, slope, bend)) {
            return false;
        }
        // Below zero it may bend up: then as if the cores were as far apart as they overlap.
        if (!newton_step(slope, bend, value, count, step) &&
            !newton_step(slope, bend, fabs(value), count, step)) {
            return false;
        }
        double length = sqrt(step[0] * step[0] + step[1] * step[1]);
        double part = length > LONGEST_STEP ? LONGEST_STEP / length : 1.0;
        CnVec3 next = turned(n, tangents, count, step, part);
        for (int k = 0; k < MAX_HALVINGS && length > BASIN; ++k) {
            if (value_at(climb, corner, next) >= value) {
                break;
            }
            part *= 0.5;
            next = turned(n, tangents, count, step, part);
        }
        n = next;
        if (length <= LAST_STEP) {
            break;
        }
    }
    *normal = n;
    return cn_vec3_dot(n, n) > 0.0;
}

// Square to two edges; made so once more, since the product of almost parallel ones is coarse.
static bool square_to(CnVec3 first, CnVec3 second, CnVec3* normal) {
    CnVec3 across = without(second, first);
    CnVec3 n = cn_vec3_normalize(cn_vec3_cross(first, across));
    n = cn_vec3_normalize(without(without(n, first), across));
    *normal = cn_vec3_dot(n, *normal) < 0.0 ? cn_vec3_negate(n) : n;
    return cn_vec3_dot(n, n) > 0.0;
}

static void try_carriers(const Climb* climb, CnVec3 start, int count, int i, int j, Summit* best) {
    int newest = climb->corner_count - 1;
    const CnCorePoint* corners = climb->corners;
    CnVec3 origin = corners[newest].difference, edges[2] = {{0}}, normal = start;
    bool found = false;
    edges[0] = cn_vec3_sub(corners[i].difference, origin);
    edges[1] = cn_vec3_sub(corners[j].difference, origin);
    if (count == 3) {
        found = square_to(edges[0], edges[1], &normal);
    } else {
        found = climb_smooth(climb, &corners[newest], count == 2 ? &edges[0] : NULL, &normal);
    }
    double value = found ? least_value_at(climb, normal) : -HUGE_VAL;
    if (value > best->value) {
        *best = (Summit){normal, value, {newest, i, j}, count};
    }
}

// The summit of the least over the corners at hand: the newest carries it, alone or with others.
static Summit find_summit(const Climb* climb, CnVec3 start) {
    int newest = climb->corner_count - 1;
    Summit best = {.normal = start, .value = -HUGE_VAL};
    try_carriers(climb, start, 1, newest, newest, &best);
    for (int i = 0; i < newest; ++i) {
        try_carriers(climb, start, 2, i, newest, &best);
        for (int j = 0; j < i; ++j) {
            try_carriers(climb, start, 3, i, j, &best);
        }
    }
    return best;
}

static void keep_carriers(Climb* climb, const Summit* summit) {
    CnCorePoint kept[3];
    for (int i = 0; i < summit->carrier_count; ++i) {
        kept[i] = climb->corners[summit->carriers[i]];
    }
    for (int i = 0; i < summit->carrier_count; ++i) {
        climb->corners[i] = kept[i];
    }
    climb->corner_count = summit->carrier_count;
}

// (12): the mixture of the carriers, all moved by the same points of the rims, that lies on the
// line along the normal.
static void weigh(const Climb* climb, CnVec3 rims, double weights[3]) {
    CnVec3 x = cn_vec3_sub(climb->corners[0].difference, rims);
    weights[0] = 1.0;
    weights[1] = weights[2] = 0.0;
    if (climb->corner_count == 2) {
        CnVec3 e = cn_vec3_sub(climb->corners[1].difference, climb->corners[0].difference);
        weights[1] = -cn_vec3_dot(x, e) / cn_vec3_dot(e, e);
    } else if (climb->corner_count == 3) {
        CnVec3 e = cn_vec3_sub(climb->corners[1].difference, climb->corners[0].difference);
        CnVec3 f = cn_vec3_sub(climb->corners[2].difference, climb->corners[0].difference);
        CnVec3 across = without(f, e);
        weights[2] = -cn_vec3_dot(x, across) / cn_vec3_dot(across, across);
        x = cn_vec3_add_scaled(x, weights[2], f);
        weights[1] = -cn_vec3_dot(x, e) / cn_vec3_dot(e, e);
    }
    weights[0] = 1.0 - weights[1] - weights[2];
}

// Points that meet along the normal and belong to both cores: the proof of the summit.
static bool find_points(const Climb* climb, CnNearest* nearest) {
    CnVec3 rims[2] = {{0}, {0}}; // of A and B, added to corners of A, taken from those of B
    double weights[3];
    for (int i = 0; i < climb->disc_count; ++i) {
        CnVec3 out = radial(&climb->discs[i], nearest->normal);
        double sine = cn_vec3_length(out);
        bool of_a = i == 0 && climb->pair->a->type == CN_SHAPE_CYLINDER;
        if (!(sine > ON_AXIS)) {
            return false;
        }
        rims[of_a ? 0 : 1] = cn_vec3_scale(climb->discs[i].radius / sine, out);
    }
    weigh(climb, cn_vec3_add(rims[0], rims[1]), weights);
    nearest->point_a = rims[0];
    nearest->point_b = cn_vec3_negate(rims[1]);
    for (int i = 0; i < climb->corner_count; ++i) {
        if (!(weights[i] >= -PROOF)) {
            return false;
        }
        const CnCorePoint* corner = &climb->corners[i];
        nearest->point_a = cn_vec3_add_scaled(nearest->point_a, weights[i], corner->a);
        nearest->point_b = cn_vec3_add_scaled(nearest->point_b, weights[i], corner->b);
    }
    CnVec3 across = cn_vec3_sub(nearest->point_b, nearest->point_a);
    CnVec3 aside = cn_vec3_add_scaled(across, -nearest->distance, nearest->normal);
    return cn_vec3_length(aside) <= PROOF * climb->pair->size;
}

CnSummit cn_summit(const CnCorePair* pair, CnVec3 normal) {
    Climb climb = {.pair = pair};
    CnSummit best = {.nearest = {.normal = normal}};
    add_disc(&climb, pair->a, cn_vec3(0.0, 0.0, 1.0));
    add_disc(&climb, pair->b,
             cn_vec3(pair->rotation.m[0][2], pair->rotation.m[1][2], pair->rotation.m[2][2]));
    climb.corners[climb.corner_count++] = corner_along(pair, normal);
    best.nearest.distance = value_at(&climb, &climb.corners[0], normal);

    for (int i = 0; i < MAX_ROUNDS; ++i) {
        Summit summit = find_summit(&climb, best.nearest.normal);
        if (summit.carrier_count == 0) {
            break;
        }
        normal = summit.normal;
        keep_carriers(&climb, &summit);
        CnCorePoint corner = corner_along(pair, normal);
        double separation = value_at(&climb, &corner, normal);
        bool settled = summit.value - separation <= SETTLED * pair->size;
        double gain = separation - best.nearest.distance;
        if (gain > 0.0 || (settled && gain >= -SETTLED * pair->size)) {
            best.nearest.normal = normal;
            best.nearest.distance = separation;
            best.exact = settled && find_points(&climb, &best.nearest);
        }
        if (settled) {
            break;
        }
        climb.corners[climb.corner_count++] = corner;
    }
    return best;
}
