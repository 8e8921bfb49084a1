// solids.c - one asymmetric, rotated and shifted shape of every type with a volume.
#include "support/shapes/solids.h"

#include "cairn/random.h"
#include "cairn/world.h"
#include "support/test.h"

static const CnAllocator heap = {0};

const CnShapeType solid_types[SOLID_COUNT] = {CN_SHAPE_SPHERE, CN_SHAPE_BOX, CN_SHAPE_CAPSULE,
                                              CN_SHAPE_CYLINDER, CN_SHAPE_CONVEX};

// On an ellipsoid beside the origin, so that all are vertices and the centre is nowhere special.
void solid_points(CnVec3 points[SOLID_POINTS]) {
    CnRandom random = {21};
    for (int i = 0; i < SOLID_POINTS; ++i) {
        double x = cn_random_between(&random, -1.0, 1.0);
        double y = cn_random_between(&random, -1.0, 1.0);
        double z = cn_random_between(&random, -1.0, 1.0);
        CnVec3 d = cn_vec3_normalize(cn_vec3(x, y, z));
        points[i] = cn_vec3(0.6 * d.x + 0.2, 0.4 * d.y - 0.1, 0.3 * d.z + 0.15);
    }
}

CnShape solid_make(CnShapeType type) {
    CnShapeDef def = cn_shape_def_default(type);
    CnVec3 points[SOLID_POINTS];
    solid_points(points);
    def.position = cn_vec3(0.3, -0.2, 0.5);
    def.rotation = cn_quat_from_axis_angle(cn_vec3(1.0, 2.0, 3.0), 0.7);
    def.radius = 0.3;
    def.length = 0.9;
    def.size = cn_vec3(1.2, 0.7, 0.4);
    def.points = points;
    def.point_count = SOLID_POINTS;
    CnShape solid;
    CnError error;
    ck_assert_msg(cn_shape_make(&def, &heap, &solid, &error) == CN_OK, "%s", error.message);
    return solid;
}

void solid_release(CnShape* solid) {
    cn_shape_free(solid, &heap);
}

bool solid_contains(const CnShape* solid, CnVec3 p, double slack) {
    double from_axis = sqrt(p.x * p.x + p.y * p.y);
    double beyond = fmax(fabs(p.z) - solid->half_length, 0.0);
    CnVec3 half = solid->half_size;
    bool inside = true;
    switch (solid->type) {
    case CN_SHAPE_SPHERE:
        return cn_vec3_length(p) <= solid->radius + slack;
    case CN_SHAPE_BOX:
        return fabs(p.x) <= half.x + slack && fabs(p.y) <= half.y + slack &&
               fabs(p.z) <= half.z + slack;
    case CN_SHAPE_CAPSULE:
        return sqrt(from_axis * from_axis + beyond * beyond) <= solid->radius + slack;
    case CN_SHAPE_CYLINDER:
        return from_axis <= solid->radius + slack && beyond <= slack;
    case CN_SHAPE_CONVEX:
        for (int i = 0; i < solid->hull->face_count; ++i) {
            const CnHullFace* face = &solid->hull->faces[i];
            inside = inside && cn_vec3_dot(face->normal, p) <= face->offset + slack;
        }
        return inside;
    case CN_SHAPE_PLANE:
    case CN_SHAPE_MESH:
    case CN_SHAPE_HEIGHT_FIELD:
    case CN_SHAPE_TYPE_COUNT:
        break;
    }
    return false;
}
