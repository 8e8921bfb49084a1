// ray.c - where a ray meets a shape.
#include "collision/cast/ray.h"

#include "collision/cast/ray_chord.h"
#include "geometry/surface.h"

static CnChordFunction* const chord_table[CN_SHAPE_TYPE_COUNT] = {
    [CN_SHAPE_SPHERE] = cn_chord_sphere,     [CN_SHAPE_PLANE] = cn_chord_plane,
    [CN_SHAPE_BOX] = cn_chord_box,           [CN_SHAPE_CAPSULE] = cn_chord_capsule,
    [CN_SHAPE_CYLINDER] = cn_chord_cylinder, [CN_SHAPE_CONVEX] = cn_chord_hull,
};

CnRay cn_ray_make(CnVec3 origin, CnVec3 translation) {
    double length = cn_vec3_length(translation);
    CnVec3 direction =
        length > 0.0 ? cn_vec3_normalize(translation) : cn_vec3(0.0, 0.0, 1.0); // a point
    return (CnRay){origin, direction, length};
}

bool cn_ray_cast(CnPlacedShape placed, const CnRay* ray, CnRaySurface* surface) {
    if (cn_shape_is_surface(placed.shape)) {
        return cn_ray_cast_triangles(placed, ray, surface);
    }
    CnTransform pose = placed.pose;
    CnLine line = {
        cn_quat_unrotate(pose.rotation, cn_vec3_sub(ray->origin, pose.position)),
        cn_quat_unrotate(pose.rotation, ray->direction),
    };
    CnChord chord;
    if (!chord_table[placed.shape->type](placed.shape, &line, &chord) || chord.leave < 0.0 ||
        chord.enter > ray->length) {
        return false;
    }
    bool inside = chord.enter < 0.0;
    *surface = (CnRaySurface){
        .distance = inside ? 0.0 : chord.enter,
        .normal =
            inside ? cn_vec3_negate(ray->direction) : cn_quat_rotate(pose.rotation, chord.normal),
        .inside = inside,
    };
    return true;
}
