// hull_columns.c - vertices and planes of a convex polyhedron, one array for each coordinate.
#include "geometry/hull.h"

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

void cn_hull_lay_edge_sets(CnHull* hull, uint64_t* storage) {
    int sets = cn_hull_edge_sets(hull->edge_count);
    for (int i = 0; i < hull->face_count * sets; ++i) {
        storage[i] = 0;
    }
    for (int i = 0; i < hull->edge_count && sets > 0; ++i) {
        const CnHullEdge* edge = &hull->edges[i];
        storage[edge->left * sets + i / 64] |= UINT64_C(1) << i % 64;
        storage[edge->right * sets + i / 64] |= UINT64_C(1) << i % 64;
    }
    hull->edge_sets = sets > 0 ? storage : NULL;
}

static void lay_outline(const CnHull* hull, int index, int stride, double* storage) {
    const CnHullFace* face = &hull->faces[index];
    CnVec3 ahead = hull->inward[face->first], right = cn_vec3_cross(ahead, face->normal);
    CnVec3 origin = hull->vertices[hull->loop[face->first]];
    double* at = storage + cn_hull_outline(hull, index);
    for (int i = 0; i < face->count; ++i) {
        int corner = face->first + i;
        CnVec3 way = cn_vec3_sub(hull->vertices[hull->loop[corner]], origin);
        CnVec3 inward = hull->inward[corner];
        double x = cn_vec3_dot(right, way), y = cn_vec3_dot(ahead, way);
        double inward_x = cn_vec3_dot(right, inward), inward_y = cn_vec3_dot(ahead, inward);
        at[i] = x;
        at[stride + i] = y;
        at[2 * stride + i] = inward_x;
        at[3 * stride + i] = inward_y;
        at[4 * stride + i] = inward_x * x + inward_y * y;
        at[5 * stride + i] = (double)hull->loop[corner];
    }
}

void cn_hull_lay_outlines(CnHull* hull, double* storage) {
    int stride = hull->loop_count + hull->face_count + CN_OUTLINE_LANES;
    for (int i = 0; i < 6 * stride; ++i) {
        storage[i] = 0.0;
    }
    for (int i = 0; i < hull->face_count; ++i) {
        lay_outline(hull, i, stride, storage);
    }
    hull->columns.outlines = (CnHullOutlines){
        .x = storage,
        .y = storage + stride,
        .inward_x = storage + 2 * stride,
        .inward_y = storage + 3 * stride,
        .offset = storage + 4 * stride,
        .vertex = storage + 5 * stride,
    };
}
