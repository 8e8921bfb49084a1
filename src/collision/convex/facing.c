// facing.c - the part of a shape that faces a direction: a flat, a line or a point.
#include "collision/convex/facing.h"

#include "collision/convex/rim.h"
#include "collision/round/round.h"
#include "collision/sat/sat.h"

static void face_of_ball(CnPlacedShape placed, CnVec3 direction, CnFacing* facing) {
    (void)placed;
    (void)direction;
    facing->kind = CN_FACING_POINT;
}

static void face_of_capsule(CnPlacedShape placed, CnVec3 direction, CnFacing* facing) {
    (void)direction;
    facing->kind = CN_FACING_LINE;
    facing->line = cn_placed_segment(placed, cn_vec3(0.0, 0.0, 0.0));
    facing->radius = placed.shape->radius;
}

// cos and sin of 2 pi / CN_FACE_CORNERS: the turn from one corner to the next.
#define TURN_COSINE 0.98078528040323044
#define TURN_SINE 0.19509032201612827
_Static_assert(CN_FACE_CORNERS == 32, "the turn from corner to corner is 2 pi / 32");

// Corners at equal angles, point 0 of the rim first, so that the deepest is among them.
static void face_of_cap(const CnCylinderRims* rims, CnFacing* facing) {
    double outward = rims->facing == 1 ? 1.0 : -1.0;
    double cosine = 1.0, sine = 0.0;
    facing->kind = CN_FACING_FLAT;
    facing->normal = cn_vec3_scale(outward, rims->axis);
    facing->feature = rims->facing;
    facing->polygon.count = CN_FACE_CORNERS;
    facing->polygon.inward = NULL;
    for (int i = 0; i < CN_FACE_CORNERS; ++i) {
        CnVec3 out = cn_vec3_add_scaled(cn_vec3_scale(cosine, rims->facing_out), outward * sine,
                                        rims->sideways);
        facing->polygon.points[i] =
            cn_vec3_add_scaled(rims->centers[rims->facing], rims->radius, out);
        facing->polygon.vertex[i] = i;
        facing->polygon.side[i] = i;
        double next = cosine * TURN_COSINE - sine * TURN_SINE;
        sine = cosine * TURN_SINE + sine * TURN_COSINE;
        cosine = next;
    }
}

static void face_of_cylinder(CnPlacedShape placed, CnVec3 direction, CnFacing* facing) {
    CnCylinderRims rims = cn_cylinder_rims(placed, direction, cn_vec3(0.0, 0.0, 0.0));
    if (rims.standing) {
        face_of_cap(&rims, facing);
        return;
    }
    facing->kind = CN_FACING_LINE;
    facing->line = (CnSegment){cn_rim_point(&rims, 0, 0), cn_rim_point(&rims, 1, 0)};
    facing->radius = 0.0;
}

static void face_of_hull(const CnHull* hull, CnTransform pose, CnVec3 direction, CnFacing* facing) {
    int most = cn_hull_facing(hull, cn_quat_unrotate(pose.rotation, direction));
    facing->kind = CN_FACING_FLAT;
    facing->normal = cn_quat_rotate(pose.rotation, hull->faces[most].normal);
    facing->feature = (uint32_t)most;
    cn_face_polygon(hull, most, &facing->polygon);
    facing->polygon.inward = NULL; // that of the hull's own frame
    for (int i = 0; i < facing->polygon.count; ++i) {
        facing->polygon.points[i] = cn_transform_point(pose, facing->polygon.points[i]);
    }
}

static void face_of_convex(CnPlacedShape placed, CnVec3 direction, CnFacing* facing) {
    face_of_hull(placed.shape->hull, placed.pose, direction, facing);
}

static void face_of_box(CnPlacedShape placed, CnVec3 direction, CnFacing* facing) {
    CnBoxHull storage;
    face_of_hull(cn_box_hull(placed.shape->half_size, &storage), placed.pose, direction, facing);
}

typedef void FacingFunction(CnPlacedShape placed, CnVec3 direction, CnFacing* facing);
static FacingFunction* const facing_table[CN_SHAPE_TYPE_COUNT] = {
    [CN_SHAPE_SPHERE] = face_of_ball,     [CN_SHAPE_BOX] = face_of_box,
    [CN_SHAPE_CAPSULE] = face_of_capsule, [CN_SHAPE_CYLINDER] = face_of_cylinder,
    [CN_SHAPE_CONVEX] = face_of_convex,
};

void cn_shape_facing(CnPlacedShape placed, CnVec3 direction, CnFacing* facing) {
    facing_table[placed.shape->type](placed, direction, facing);
}
