// box_hull.c - a box as a convex polyhedron.
//
// Vertex i has a positive coordinate on axis k where bit k of i is set. Face 2 k is the one at
// -half_size on axis k, face 2 k + 1 the one at +half_size.
#include "geometry/hull.h"

static CnVec3 corner(CnVec3 half_size, int i) {
    return cn_vec3((i & 1) ? half_size.x : -half_size.x, (i & 2) ? half_size.y : -half_size.y,
                   (i & 4) ? half_size.z : -half_size.z);
}

// (axis, second, third) is right-handed, so the corners -- +- ++ -+ of (second, third) run
// counter-clockwise when seen from the positive end of axis, clockwise from the negative one.
static void make_faces(CnVec3 half_size, CnBoxHull* box) {
    const double size[3] = {half_size.x, half_size.y, half_size.z};
    for (int face = 0; face < 6; ++face) {
        int axis = face / 2, sign = face % 2;
        int a = 1 << axis, b = 1 << (axis + 1) % 3, c = 1 << (axis + 2) % 3;
        double n[3] = {0.0};
        n[axis] = sign ? 1.0 : -1.0;
        box->faces[face] = (CnHullFace){cn_vec3(n[0], n[1], n[2]), size[axis], 4 * face, 4};

        int* loop = box->loop + 4 * face;
        int at = sign ? a : 0;
        loop[0] = at;
        loop[1] = sign ? at | b : at | c;
        loop[2] = at | b | c;
        loop[3] = sign ? at | c : at | b;
    }
}

// The edge along axis where the faces on second and third meet. The inside of the first of them is
// to the left of the edge when n x axis points into it, which is when both signs are equal.
static void make_edges(CnBoxHull* box) {
    for (int i = 0; i < 12; ++i) {
        int axis = i / 4, sign_b = i & 1, sign_c = (i >> 1) & 1;
        int second = (axis + 1) % 3, third = (axis + 2) % 3;
        int from = sign_b << second | sign_c << third;
        int face_b = 2 * second + sign_b, face_c = 2 * third + sign_c;
        bool b_is_left = sign_b == sign_c;
        box->edges[i] = (CnHullEdge){from, from | 1 << axis, b_is_left ? face_b : face_c,
                                     b_is_left ? face_c : face_b};
    }
}

const CnHull* cn_box_hull(CnVec3 half_size, CnBoxHull* storage) {
    for (int i = 0; i < 8; ++i) {
        storage->vertices[i] = corner(half_size, i);
    }
    make_faces(half_size, storage);
    make_edges(storage);
    storage->hull = (CnHull){
        .vertex_count = 8,
        .face_count = 6,
        .edge_count = 12,
        .loop_count = 24,
        .vertices = storage->vertices,
        .faces = storage->faces,
        .edges = storage->edges,
        .loop = storage->loop,
    };
    return &storage->hull;
}
