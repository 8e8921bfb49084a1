// chosen_normal.c - chooses among normals with equal separation.
#include "collision/convex/chosen_normal.h"

#include "collision/convex/rim_normal.h"
#include "collision/convex/separation_newton.h"
#include "collision/convex/smooth.h"
#include "geometry/support.h"
#include "math/mat3.h"

#define CONVERGED 1e-12 // the accuracy GJK reaches

// How far touching cores are moved apart along the line between their centres. At most this
// fraction of the smaller core, because they need not keep their nearest points; at least this
// fraction of the size of both, because GJK compares squared distances.
#define MOST_STAND_OFF 0.1
#define LEAST_STAND_OFF 1e-6

// Enumerates the flat faces of a core; false when there are no more.
static bool numbered_flat_of_box(const CnShape* shape, int number, CnVec3* normal) {
    (void)shape;
    double sign = number % 2 == 0 ? 1.0 : -1.0;
    *normal = cn_vec3(number / 2 == 0 ? sign : 0.0, number / 2 == 1 ? sign : 0.0,
                      number / 2 == 2 ? sign : 0.0);
    return number < 6;
}

static bool numbered_flat_of_cylinder(const CnShape* shape, int number, CnVec3* normal) {
    (void)shape;
    *normal = cn_vec3(0.0, 0.0, number == 0 ? 1.0 : -1.0);
    return number < 2;
}

static bool numbered_flat_of_convex(const CnShape* shape, int number, CnVec3* normal) {
    bool is_there = number < shape->hull->face_count;
    *normal = shape->hull->faces[is_there ? number : 0].normal;
    return is_there;
}

typedef bool NumberedFlatFunction(const CnShape* shape, int number, CnVec3* normal);
static NumberedFlatFunction* const numbered_flat_table[CN_SHAPE_TYPE_COUNT] = {
    [CN_SHAPE_BOX] = numbered_flat_of_box,
    [CN_SHAPE_CYLINDER] = numbered_flat_of_cylinder,
    [CN_SHAPE_CONVEX] = numbered_flat_of_convex,
};

bool cn_take_if_as_good(const CnCorePair* pair, CnVec3 normal, double tie, CnNearest* nearest) {
    double separation = cn_core_separation(pair, normal);
    bool is_as_good = separation >= nearest->distance - tie * pair->size;
    if (is_as_good) {
        nearest->normal = normal;
        nearest->distance = fmax(separation, nearest->distance);
    }
    return is_as_good;
}

// docs/theory/collision/gjk.md (13): the first flat face of one core whose normal separates the
// cores as well as the best normal. Faces of B are relative to B.
static bool first_flat_as_good(const CnCorePair* pair, bool of_b, CnNearest* nearest) {
    const CnShape* shape = of_b ? pair->b : pair->a;
    NumberedFlatFunction* numbered = numbered_flat_table[shape->type];
    CnVec3 flat;
    for (int i = 0; numbered != NULL && numbered(shape, i, &flat); ++i) {
        CnVec3 normal = of_b ? cn_vec3_negate(cn_mat3_apply(&pair->rotation, flat)) : flat;
        if (cn_take_if_as_good(pair, normal, CN_TOUCHING, nearest)) {
            return true;
        }
    }
    return false;
}

// If the cores share an axis, every direction about it is equally good: take the first axis of A,
// then of B.
static bool first_axis_as_good(const CnCorePair* pair, CnNearest* nearest) {
    for (int i = 0; i < 12; ++i) {
        int axis = i / 2 % 3;
        double sign = i % 2 == 0 ? 1.0 : -1.0;
        CnVec3 own =
            cn_vec3(axis == 0 ? sign : 0.0, axis == 1 ? sign : 0.0, axis == 2 ? sign : 0.0);
        CnVec3 normal = i < 6 ? own : cn_mat3_apply(&pair->rotation, own);
        if (cn_take_if_as_good(pair, normal, CN_TOUCHING, nearest)) {
            return true;
        }
    }
    return false;
}

// A corner on the rim of a cylinder.
static bool fan_as_good(const CnCorePair* pair, CnNearest* nearest) {
    CnVec3 normal;
    return cn_fan_normal(pair, &normal) && cn_take_if_as_good(pair, normal, CN_TOUCHING, nearest);
}

static CnVec3 center_of(const CnShape* shape) {
    return shape->type == CN_SHAPE_CONVEX ? shape->hull->center : cn_vec3(0.0, 0.0, 0.0);
}

// Axes of two cylinders closer to a common plane than this, relative to the size, lie in it.
#define IN_PLANE 1e-9

// Whether touching cores may have normals besides those of a flat face or of a corner on a rim:
// polyhedra do, and two rims in a plane that contains both axes.
static bool has_range(const CnCorePair* pair) {
    CnDiscs discs = cn_core_discs(pair);
    CnVec3 across = cn_vec3_cross(discs.of[0].axis, discs.of[1].axis);
    return discs.count == 0 ||
           (discs.count == 2 && fabs(cn_vec3_dot(across, pair->offset)) <= IN_PLANE * pair->size);
}

// docs/theory/collision/gjk.md (16): among the normals with the best separation of touching cores,
// the one closest to the line from a point inside A to a point inside B. It is the normal of the
// nearest points after B is moved along that line by a small distance. A larger distance gives a
// more accurate normal, if it still separates the cores as well.
static bool lean_on_centers(const CnCorePair* pair, CnNearest* nearest) {
    CnVec3 to = cn_vec3_add(pair->offset, cn_mat3_apply(&pair->rotation, center_of(pair->b)));
    CnVec3 line = cn_vec3_normalize(cn_vec3_sub(to, center_of(pair->a)));
    double stand_off = MOST_STAND_OFF * fmin(cn_core_extent(pair->a), cn_core_extent(pair->b));
    for (; stand_off > LEAST_STAND_OFF * pair->size; stand_off *= 0.1) {
        CnCorePair apart = *pair;
        apart.offset = cn_vec3_add_scaled(pair->offset, stand_off, line);
        CnGjk gjk = cn_gjk(&apart, CONVERGED);
        CnVec3 normal = cn_maximum_apart(&apart, &gjk).nearest.normal;
        if (cn_take_if_as_good(pair, normal, CN_TOUCHING, nearest)) {
            return true;
        }
    }
    return false;
}

bool cn_choose_normal(const CnCorePair* pair, CnNearest* nearest) {
    bool touch = nearest->distance >= -CN_TOUCHING * pair->size;
    return first_flat_as_good(pair, false, nearest) || first_flat_as_good(pair, true, nearest) ||
           first_axis_as_good(pair, nearest) ||
           (touch &&
            (fan_as_good(pair, nearest) || (has_range(pair) && lean_on_centers(pair, nearest))));
}
