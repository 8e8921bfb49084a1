// hulls.c - what must hold for every convex polyhedron.
#include "support/hulls.h"
#include "support/test.h"
#include <float.h>

static bool loop_has(const CnHull* hull, int face, int from, int to) {
    const CnHullFace* f = &hull->faces[face];
    for (int k = 0; k < f->count; ++k) {
        int a = hull->loop[f->first + k], b = hull->loop[f->first + (k + 1) % f->count];
        if (a == from && b == to) {
            return true;
        }
    }
    return false;
}

static void check_loops(const CnHull* hull) {
    int* faces_at = calloc((size_t)hull->vertex_count, sizeof *faces_at);
    int* last_face = calloc((size_t)hull->vertex_count, sizeof *last_face);
    int total = 0;
    for (int f = 0; f < hull->face_count; ++f) {
        CHECK(hull->faces[f].count >= 3);
        CHECK_INT(hull->faces[f].first, total);
        total += hull->faces[f].count;
        CHECK(total <= hull->loop_count);
        for (int k = hull->faces[f].first; k < total; ++k) {
            int v = hull->loop[k];
            CHECK(v >= 0 && v < hull->vertex_count);
            CHECK(last_face[v] != f + 1); // once per loop
            last_face[v] = f + 1;
            faces_at[v] += 1;
        }
    }
    CHECK_INT(total, hull->loop_count);
    for (int v = 0; v < hull->vertex_count; ++v) {
        CHECK(faces_at[v] >= 3);
    }
    free(last_face);
    free(faces_at);
}

void check_hull_topology(const CnHull* hull) {
    CHECK_INT(hull->vertex_count - hull->edge_count + hull->face_count, 2); // Euler
    CHECK_INT(hull->loop_count, 2 * hull->edge_count);
    check_loops(hull);
    for (int i = 0; i < hull->edge_count; ++i) {
        CnHullEdge e = hull->edges[i];
        CHECK(0 <= e.from && e.from < e.to && e.to < hull->vertex_count);
        CHECK(0 <= e.left && e.left < hull->face_count);
        CHECK(0 <= e.right && e.right < hull->face_count && e.right != e.left);
        CHECK(loop_has(hull, e.left, e.from, e.to));
        CHECK(loop_has(hull, e.right, e.to, e.from));
        for (int k = 0; k < i; ++k) { // with 2 E loop entries, distinct edges use each just once
            CHECK(hull->edges[k].from != e.from || hull->edges[k].to != e.to);
        }
    }
}

// Above the face's plane; the vertex is taken from one on the face first, so that a hull far from
// the origin is measured as well as one at it.
static double height(const CnHull* hull, int face, CnVec3 point) {
    CnVec3 base = hull->vertices[hull->loop[hull->faces[face].first]];
    return cn_vec3_dot(hull->faces[face].normal, cn_vec3_sub(point, base));
}

static double lowest_of_loop(const CnHull* hull, int face, int plane_of) {
    double lowest = DBL_MAX;
    for (int k = 0; k < hull->faces[face].count; ++k) {
        CnVec3 vertex = hull->vertices[hull->loop[hull->faces[face].first + k]];
        lowest = fmin(lowest, height(hull, plane_of, vertex));
    }
    return lowest;
}

void check_hull_convexity(const CnHull* hull, double tolerance) {
    for (int f = 0; f < hull->face_count; ++f) {
        CnVec3 n = hull->faces[f].normal;
        CnVec3 base = hull->vertices[hull->loop[hull->faces[f].first]];
        CHECK_NEAR(cn_vec3_length(n), 1.0, 4.0 * DBL_EPSILON);
        CHECK_NEAR(hull->faces[f].offset, cn_vec3_dot(n, base), tolerance);
        CHECK(lowest_of_loop(hull, f, f) >= -tolerance);
    }
    CHECK(greatest_height(hull, hull->vertices, hull->vertex_count) <= tolerance);
    for (int i = 0; i < hull->edge_count; ++i) {
        CHECK(lowest_of_loop(hull, hull->edges[i].left, hull->edges[i].right) < 0.0);
        CHECK(lowest_of_loop(hull, hull->edges[i].right, hull->edges[i].left) < 0.0);
    }
}

double greatest_height(const CnHull* hull, const CnVec3* points, int count) {
    double greatest = -DBL_MAX;
    for (int f = 0; f < hull->face_count; ++f) {
        for (int i = 0; i < count; ++i) {
            greatest = fmax(greatest, height(hull, f, points[i]));
        }
    }
    return greatest;
}
