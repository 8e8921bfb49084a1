// hull_columns.c - vertices and planes of a convex polyhedron, one array for each coordinate.
#include "geometry/hull/hull.h"

void cn_hull_lay_columns(CnHull* hull, double* storage) {
    int vertices = cn_hull_padded(hull->vertex_count), faces = cn_hull_padded(hull->face_count);
    double* planes = storage + 3 * vertices;
    for (int i = 0; i < vertices; ++i) {
        CnVec3 vertex = hull->vertices[i < hull->vertex_count ? i : 0];
        storage[i] = vertex.x;
        storage[vertices + i] = vertex.y;
        storage[2 * vertices + i] = vertex.z;
    }
    for (int i = 0; i < faces; ++i) {
        const CnHullFace* face = &hull->faces[i < hull->face_count ? i : 0];
        planes[i] = face->normal.x;
        planes[faces + i] = face->normal.y;
        planes[2 * faces + i] = face->normal.z;
        planes[3 * faces + i] = i < hull->face_count ? face->offset : HUGE_VAL;
    }
    hull->columns = (CnHullColumns){
        .x = storage,
        .y = storage + vertices,
        .z = storage + 2 * vertices,
        .normal_x = planes,
        .normal_y = planes + faces,
        .normal_z = planes + 2 * faces,
        .offset = planes + 3 * faces,
    };
}
