// hulls.c - what must hold for every convex polyhedron.
//
// Each claim is gathered over the whole polyhedron and checked once: a check costs more than a dot
// product.
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
    bool loops_are_sound = true, vertices_are_corners = true;
    int total = 0;
    for (int f = 0; f < hull->face_count && loops_are_sound; ++f) {
        CnHullFace face = hull->faces[f];
        loops_are_sound = face.first == total && face.count >= 3;
        total += face.count;
        for (int k = face.first; k < total && loops_are_sound; ++k) {
            int v = k < hull->loop_count ? hull->loop[k] : -1;
            loops_are_sound = v >= 0 && v < hull->vertex_count && last_face[v] != f + 1;
            if (loops_are_sound) {
                last_face[v] = f + 1; // a loop meets a vertex once
                faces_at[v] += 1;
            }
        }
    }
    for (int v = 0; v < hull->vertex_count; ++v) {
        vertices_are_corners = vertices_are_corners && faces_at[v] >= 3;
    }
    CHECK(loops_are_sound);
    CHECK_INT(total, hull->loop_count);
    CHECK(vertices_are_corners);
    free(last_face);
    free(faces_at);
}

static void check_edges(const CnHull* hull) {
    bool names_exist = true, has_two_faces = true, edges_are_distinct = true;
    for (int i = 0; i < hull->edge_count; ++i) {
        CnHullEdge e = hull->edges[i];
        names_exist = names_exist && 0 <= e.from && e.from < e.to && e.to < hull->vertex_count &&
                      0 <= e.left && e.left < hull->face_count && 0 <= e.right &&
                      e.right < hull->face_count && e.left != e.right;
        has_two_faces = names_exist && has_two_faces && loop_has(hull, e.left, e.from, e.to) &&
                        loop_has(hull, e.right, e.to, e.from);
        for (int k = 0; k < i; ++k) {
            bool same = hull->edges[k].from == e.from && hull->edges[k].to == e.to;
            edges_are_distinct = edges_are_distinct && !same;
        }
    }
    CHECK(names_exist);
    CHECK(has_two_faces);
    CHECK(edges_are_distinct);
    CHECK_INT(hull->loop_count, 2 * hull->edge_count); // so loops have no other edges
}

void check_hull_topology(const CnHull* hull) {
    CHECK_INT(hull->vertex_count - hull->edge_count + hull->face_count, 2); // Euler
    check_loops(hull);
    check_edges(hull);
}

static double height(const CnHull* hull, int face, CnVec3 point) {
    return cn_vec3_dot(hull->faces[face].normal, point) - hull->faces[face].offset;
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
    double worst_length = 0.0, lowest_own = 0.0;
    bool neighbours_fall_away = true;
    for (int f = 0; f < hull->face_count; ++f) {
        worst_length = fmax(worst_length, fabs(cn_vec3_length(hull->faces[f].normal) - 1.0));
        lowest_own = fmin(lowest_own, lowest_of_loop(hull, f, f));
    }
    for (int i = 0; i < hull->edge_count; ++i) {
        CnHullEdge e = hull->edges[i];
        neighbours_fall_away = neighbours_fall_away &&
                               lowest_of_loop(hull, e.left, e.right) < 0.0 &&
                               lowest_of_loop(hull, e.right, e.left) < 0.0;
    }
    CHECK_NEAR(worst_length, 0.0, 4.0 * DBL_EPSILON);
    CHECK_NEAR(lowest_own, 0.0, tolerance);
    CHECK(greatest_height(hull, hull->vertices, hull->vertex_count) <= tolerance);
    CHECK(neighbours_fall_away);
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
