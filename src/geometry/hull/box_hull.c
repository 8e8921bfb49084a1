// box_hull.c - a box as a convex polyhedron.
//
// Vertex i has a positive coordinate on axis k where bit k of i is set. Face 2 k is the one at
// -half_size on axis k, face 2 k + 1 the one at +half_size.
#include "geometry/hull/hull_outline.h"

#include <string.h>

static CnVec3 corner(CnVec3 half_size, int i) {
    return cn_vec3((i & 1) ? half_size.x : -half_size.x, (i & 2) ? half_size.y : -half_size.y,
                   (i & 4) ? half_size.z : -half_size.z);
}

// Seen from the positive end of an axis, the corners -- +- ++ -+ of the two axes that follow it in
// the order x y z x run counter-clockwise; from the negative end -- -+ ++ +- do.
static const int loops[24] = {
    0, 4, 6, 2, 1, 3, 7, 5, // x
    0, 1, 5, 4, 2, 6, 7, 3, // y
    0, 2, 3, 1, 4, 5, 7, 6, // z
};

// Edge 4 k + i runs along axis k, where the faces on the two following axes meet: bit 0 of i is the
// sign of the first of them, bit 1 that of the second. The first is to the left of the edge when
// both signs are equal.
static const CnHullEdge edges[12] = {
    {0, 1, 2, 4}, {2, 3, 4, 3}, {4, 5, 5, 2}, {6, 7, 3, 5}, // x
    {0, 2, 4, 0}, {4, 6, 0, 5}, {1, 3, 1, 4}, {5, 7, 5, 1}, // y
    {0, 4, 0, 2}, {1, 5, 2, 1}, {2, 6, 3, 0}, {3, 7, 1, 3}, // z
};

// The edge from each corner of the loops to the next.
static const int sides[24] = {
    8, 5, 10, 4, 6,  11, 7,  9, // x
    0, 9, 2,  8, 10, 3,  11, 1, // y
    4, 1, 6,  0, 2,  7,  3,  5, // z
};

// The edges of each face, a bit each.
static const uint64_t edge_sets[8] = {0x530, 0xac0, 0x305, 0xc0a, 0x053, 0x0ac};

// The faces are square to each other: across a side, in the plane of the loop, is minus the normal
// of the face beyond.
static const CnVec3 inward[24] = {
    {0.0, 1.0, 0.0},  {0.0, 0.0, -1.0}, {0.0, -1.0, 0.0}, {0.0, 0.0, 1.0},  {0.0, 0.0, 1.0},
    {0.0, -1.0, 0.0}, {0.0, 0.0, -1.0}, {0.0, 1.0, 0.0},  {0.0, 0.0, 1.0},  {-1.0, 0.0, 0.0},
    {0.0, 0.0, -1.0}, {1.0, 0.0, 0.0},  {1.0, 0.0, 0.0},  {0.0, 0.0, -1.0}, {-1.0, 0.0, 0.0},
    {0.0, 0.0, 1.0},  {1.0, 0.0, 0.0},  {0.0, -1.0, 0.0}, {-1.0, 0.0, 0.0}, {0.0, 1.0, 0.0},
    {0.0, 1.0, 0.0},  {-1.0, 0.0, 0.0}, {0.0, -1.0, 0.0}, {1.0, 0.0, 0.0},
};

// Outlines are rectangles: the axes along and across the first side of each face.
static const int outline_axes[6][2] = {{2, 1}, {1, 2}, {0, 2}, {2, 0}, {1, 0}, {0, 1}};

static const CnHullFace unit_faces[6] = {
    {{-1.0, 0.0, 0.0}, 0.0, 0, 4}, {{1.0, 0.0, 0.0}, 0.0, 4, 4},   {{0.0, -1.0, 0.0}, 0.0, 8, 4},
    {{0.0, 1.0, 0.0}, 0.0, 12, 4}, {{0.0, 0.0, -1.0}, 0.0, 16, 4}, {{0.0, 0.0, 1.0}, 0.0, 20, 4},
};

// Face 0, at infinity, pads the columns of faces.
static const double normal_x[8] = {-1.0, 1.0, 0.0, 0.0, 0.0, 0.0, -1.0, -1.0};
static const double normal_y[8] = {0.0, 0.0, -1.0, 1.0, 0.0, 0.0, 0.0, 0.0};
static const double normal_z[8] = {0.0, 0.0, 0.0, 0.0, -1.0, 1.0, 0.0, 0.0};

static void place_faces(CnVec3 half_size, CnBoxHull* storage) {
    const double half[3] = {half_size.x, half_size.y, half_size.z};
    memcpy(storage->faces, unit_faces, sizeof unit_faces);
    for (int i = 0; i < 6; ++i) {
        storage->faces[i].offset = storage->columns[3][i] = half[i / 2];
    }
    storage->columns[3][6] = storage->columns[3][7] = HUGE_VAL;
}

void cn_box_lay_outline(CnBoxHull* storage, int face) {
    CnVec3 corner = storage->vertices[7];
    const double full[3] = {2.0 * corner.x, 2.0 * corner.y, 2.0 * corner.z};
    double along = full[outline_axes[face][0]], across = full[outline_axes[face][1]];
    storage->outlines[face] = (CnOutline){
        .x = {0.0, along, along},
        .y = {0.0, 0.0, across, across},
        .inward_x = {0.0, -1.0, 0.0, 1.0},
        .inward_y = {1.0, 0.0, -1.0, 0.0},
        .offset = {0.0, -along, -across, 0.0, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL},
    };
    cn_outline_start(&storage->hull, face, &storage->outlines[face]);
}

#define HALF_ROOT 0.70710678118654752 // cosine of 45 degrees

const CnHull* cn_box_hull(CnVec3 half_size, CnBoxHull* storage) {
    double outer = cn_vec3_length(half_size);
    for (int i = 0; i < 8; ++i) {
        CnVec3 vertex = corner(half_size, i);
        storage->vertices[i] = vertex;
        storage->columns[0][i] = vertex.x;
        storage->columns[1][i] = vertex.y;
        storage->columns[2][i] = vertex.z;
    }
    place_faces(half_size, storage);
    for (int i = 0; i < 6; ++i) {
        storage->outlines[i].count = 0; // until cn_box_lay_outline()
    }
    storage->hull = (CnHull){
        .vertex_count = 8,
        .face_count = 6,
        .edge_count = 12,
        .loop_count = 24,
        .vertices = storage->vertices,
        .faces = storage->faces,
        .edges = edges,
        .loop = loops,
        .side = sides,
        .inward = inward,
        .edge_sets = edge_sets,
        .columns = {.x = storage->columns[0],
                    .y = storage->columns[1],
                    .z = storage->columns[2],
                    .normal_x = normal_x,
                    .normal_y = normal_y,
                    .normal_z = normal_z,
                    .offset = storage->columns[3]},
        .outlines = storage->outlines,
        .inner = fmin(half_size.x, fmin(half_size.y, half_size.z)),
        .outer = outer,
        .reach = outer,
        .sharpest = HALF_ROOT,
        .alike = HALF_ROOT,
    };
    return &storage->hull;
}
