// rim_normal.c - the normal of a corner that touches the rim of a cylinder.
#include "collision/convex/rim_normal.h"

#include "geometry/hull/hull.h"
#include "math/mat3.h"

// Corners closer to the rim than this fraction of the size lie on it. It is a few times
// CN_TOUCHING, because other parts of touching cores may be farther apart. The caller verifies the
// normal.
#define ON_RIM 1e-13

static bool corner_of_box(const CnShape* shape, int number, CnVec3* corner) {
    *corner = cn_vec3(number & 1 ? shape->half_size.x : -shape->half_size.x,
                      number & 2 ? shape->half_size.y : -shape->half_size.y,
                      number & 4 ? shape->half_size.z : -shape->half_size.z);
    return number < 8;
}

static bool corner_of_capsule(const CnShape* shape, int number, CnVec3* corner) {
    *corner = cn_vec3(0.0, 0.0, number == 0 ? -shape->half_length : shape->half_length);
    return number < 2;
}

static bool corner_of_convex(const CnShape* shape, int number, CnVec3* corner) {
    bool is_there = number < shape->hull->vertex_count;
    *corner = shape->hull->vertices[is_there ? number : 0];
    return is_there;
}

// Enumerates the corners of a core, in its frame; false when there are no more.
typedef bool CornerFunction(const CnShape* shape, int number, CnVec3* corner);
static CornerFunction* const corner_table[CN_SHAPE_TYPE_COUNT] = {
    [CN_SHAPE_BOX] = corner_of_box,
    [CN_SHAPE_CAPSULE] = corner_of_capsule,
    [CN_SHAPE_CONVEX] = corner_of_convex,
};

// A cylinder and a core with corners, seen from the cylinder.
typedef struct RimContact {
    const CnCorePair* pair;
    bool of_b;     // whose rim it is
    CnVec3 corner; // of the other, the nearest to the rim
    CnVec3 rim;    // the point of the rim nearest to it
    CnVec3 up;     // unit, out of the cap that the rim is of
    CnVec3 out;    // unit, out of the side at the point of the rim
} RimContact;

// Of the other core, seen from the cylinder.
static bool numbered_corner(const RimContact* contact, int number, CnVec3* corner) {
    const CnCorePair* pair = contact->pair;
    const CnShape* other = contact->of_b ? pair->a : pair->b;
    CornerFunction* numbered = corner_table[other->type];
    CnVec3 local;
    if (numbered == NULL || !numbered(other, number, &local)) {
        return false;
    }
    *corner = contact->of_b
                  ? cn_mat3_apply_transposed(&pair->rotation, cn_vec3_sub(local, pair->offset))
                  : cn_vec3_add(pair->offset, cn_mat3_apply(&pair->rotation, local));
    return true;
}

// False if no corner lies on the rim.
static bool find_corner(RimContact* contact) {
    const CnShape* cylinder = contact->of_b ? contact->pair->b : contact->pair->a;
    double least = ON_RIM * contact->pair->size;
    bool found = false;
    CnVec3 corner;
    for (int i = 0; numbered_corner(contact, i, &corner); ++i) {
        CnVec3 up = cn_vec3(0.0, 0.0, copysign(1.0, corner.z));
        CnVec3 out = cn_vec3_normalize(cn_vec3(corner.x, corner.y, 0.0));
        CnVec3 rim =
            cn_vec3_add_scaled(cn_vec3_scale(cylinder->half_length, up), cylinder->radius, out);
        double away = cn_vec3_length(cn_vec3_sub(corner, rim));
        if (away < least) {
            least = away;
            found = true;
            contact->corner = corner;
            contact->rim = rim;
            contact->up = up;
            contact->out = out;
        }
    }
    return found;
}

// docs/theory/collision/gjk.md (15): the normals of the rim form a quarter of a circle. Each edge
// from the corner excludes the part of it on one side of the edge's normal plane. Returns the
// remaining normal closest to `middle`, in the cylinder's frame.
static CnVec3 nearest_normal(const RimContact* contact, CnVec3 middle) {
    CnVec3 nearest = middle, corner;
    for (int i = 0; numbered_corner(contact, i, &corner); ++i) {
        CnVec3 edge = cn_vec3_sub(corner, contact->corner);
        double up = cn_vec3_dot(edge, contact->up), out = cn_vec3_dot(edge, contact->out);
        bool is_cut = cn_vec3_dot(edge, middle) < 0.0;
        if (!is_cut || !(fmax(fabs(up), fabs(out)) > ON_RIM * contact->pair->size)) {
            continue;
        }
        CnVec3 square =
            cn_vec3_add_scaled(cn_vec3_scale(fabs(out), contact->up), fabs(up), contact->out);
        square = cn_vec3_normalize(square);
        if (cn_vec3_dot(square, middle) < cn_vec3_dot(nearest, middle)) {
            nearest = square;
        }
    }
    return nearest;
}

static bool normal_of(const CnCorePair* pair, bool of_b, CnVec3* normal) {
    RimContact contact = {.pair = pair, .of_b = of_b};
    if ((of_b ? pair->b : pair->a)->type != CN_SHAPE_CYLINDER || !find_corner(&contact)) {
        return false;
    }
    CnVec3 out = nearest_normal(&contact, cn_vec3_normalize(contact.rim)); // of the cylinder
    *normal = of_b ? cn_vec3_negate(cn_mat3_apply(&pair->rotation, out)) : out;
    return true;
}

bool cn_fan_normal(const CnCorePair* pair, CnVec3* normal) {
    return normal_of(pair, false, normal) || normal_of(pair, true, normal);
}
