// hull_outline.c - faces of a convex polyhedron in their planes.
#include "geometry/hull/hull_outline.h"

#include <string.h>

void cn_outline_start(const CnHull* hull, int index, CnOutline* outline) {
    const CnHullFace* face = &hull->faces[index];
    CnVec3 up = face->normal, ahead = hull->inward[face->first], right = cn_vec3_cross(ahead, up);
    CnVec3 origin = hull->vertices[hull->loop[face->first]];
    const double axes[3][4] = {{right.x, ahead.x, up.x, origin.x},
                               {right.y, ahead.y, up.y, origin.y},
                               {right.z, ahead.z, up.z, origin.z}};
    memcpy(outline->axes, axes, sizeof axes);
    outline->first = face->first;
    outline->count = face->count;
}

static void lay_outline(const CnHull* hull, int index, CnOutline* outline) {
    const CnHullFace* face = &hull->faces[index];
    CnVec3 ahead = hull->inward[face->first], right = cn_vec3_cross(ahead, face->normal);
    CnVec3 origin = hull->vertices[hull->loop[face->first]];
    cn_outline_start(hull, index, outline);
    for (int i = 0; i < face->count; ++i) {
        CnVec3 way = cn_vec3_sub(hull->vertices[hull->loop[face->first + i]], origin);
        CnVec3 inward = hull->inward[face->first + i];
        double x = cn_vec3_dot(right, way), y = cn_vec3_dot(ahead, way);
        double inward_x = cn_vec3_dot(right, inward), inward_y = cn_vec3_dot(ahead, inward);
        outline->x[i] = x;
        outline->y[i] = y;
        outline->inward_x[i] = inward_x;
        outline->inward_y[i] = inward_y;
        outline->offset[i] = inward_x * x + inward_y * y;
    }
    for (int i = face->count; i < CN_OUTLINE_CORNERS; ++i) {
        outline->x[i] = outline->y[i] = 0.0;
        outline->inward_x[i] = outline->inward_y[i] = 0.0;
        outline->offset[i] = -HUGE_VAL;
    }
}

void cn_hull_lay_outlines(CnHull* hull, CnOutline* outlines) {
    int count = cn_hull_outline_count(hull->face_count, hull->loop_count);
    for (int i = 0; i < count; ++i) {
        if (hull->faces[i].count <= CN_OUTLINE_CORNERS) {
            lay_outline(hull, i, &outlines[i]);
        } else {
            outlines[i].count = 0;
        }
    }
    hull->outlines = count > 0 ? outlines : NULL;
}
