// ray_flat.c - lines through shapes with flat faces, clipped by one half space after the other.
#include "collision/cast/ray_chord.h"

// Clips the interval to the half space normal . x <= offset. False if nothing is left.
//
// Along the line the height above the plane is height + rate t. A line parallel to the plane is in
// the half space everywhere or nowhere. Any other line crosses the plane once; it enters the half
// space if rate < 0.
static bool clip(CnChord* chord, const CnLine* line, CnVec3 normal, double offset) {
    double height = cn_vec3_dot(normal, line->origin) - offset;
    double rate = cn_vec3_dot(normal, line->direction);
    if (rate == 0.0) {
        return height <= 0.0;
    }
    double crossing = -height / rate;
    if (rate > 0.0) {
        chord->leave = fmin(chord->leave, crossing);
    } else if (crossing > chord->enter) {
        chord->enter = crossing;
        chord->normal = normal;
    }
    return chord->enter <= chord->leave;
}

bool cn_chord_plane(const CnShape* shape, const CnLine* line, CnChord* chord) {
    *chord = cn_chord_all();
    return clip(chord, line, shape->normal, 0.0);
}

bool cn_chord_clip_slab(CnChord* chord, const CnLine* line, CnVec3 axis, double half_width) {
    return clip(chord, line, axis, half_width) &&
           clip(chord, line, cn_vec3_negate(axis), half_width);
}

bool cn_chord_box(const CnShape* shape, const CnLine* line, CnChord* chord) {
    CnVec3 half = shape->half_size;
    *chord = cn_chord_all();
    return cn_chord_clip_slab(chord, line, cn_vec3(1.0, 0.0, 0.0), half.x) &&
           cn_chord_clip_slab(chord, line, cn_vec3(0.0, 1.0, 0.0), half.y) &&
           cn_chord_clip_slab(chord, line, cn_vec3(0.0, 0.0, 1.0), half.z);
}

bool cn_chord_hull(const CnShape* shape, const CnLine* line, CnChord* chord) {
    const CnHull* hull = shape->hull;
    bool is_hit = true;
    *chord = cn_chord_all();
    for (int i = 0; i < hull->face_count && is_hit; ++i) {
        is_hit = clip(chord, line, hull->faces[i].normal, hull->faces[i].offset);
    }
    return is_hit;
}
