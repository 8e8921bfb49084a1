// surface.c - meshes and height fields alike: numbered triangles in a tree.
#include "geometry/surface.h"

static CnTriangle triangle_of_mesh(const CnTriangleMesh* mesh, int index) {
    CnTriangle triangle = {.normal = mesh->normals[index], .index = index};
    for (int i = 0; i < 3; ++i) {
        triangle.points[i] = mesh->points[mesh->triangles[index][i]];
        triangle.neighbours[i] = mesh->neighbours[index][i];
    }
    return triangle;
}

static CnTriangle triangle_of_field(const CnHeightField* field, int index) {
    CnTriangle triangle = {.index = index};
    cn_height_field_corners(field, index, triangle.points);
    cn_height_field_neighbours(field, index, triangle.neighbours);
    CnVec3 along = cn_vec3_sub(triangle.points[1], triangle.points[0]);
    CnVec3 across = cn_vec3_sub(triangle.points[2], triangle.points[0]);
    triangle.normal = cn_vec3_normalize(cn_vec3_cross(along, across));
    return triangle;
}

CnTriangle cn_surface_triangle(const CnShape* surface, int index) {
    return surface->type == CN_SHAPE_MESH ? triangle_of_mesh(surface->mesh, index)
                                          : triangle_of_field(surface->field, index);
}

const CnBoxTree* cn_surface_tree(const CnShape* surface, int* count) {
    bool is_mesh = surface->type == CN_SHAPE_MESH;
    *count = is_mesh ? 1 : 2;
    return is_mesh ? &surface->mesh->tree : &surface->field->tree;
}
