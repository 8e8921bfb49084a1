// hulls.c - invariants of every convex polyhedron.
//
// Flaws are sentences, so that programs that are no tests can ask for them too.
#include "support/shapes/hulls.h"
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

static const char* flaw_of_loops(const CnHull* hull) {
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
    free(last_face);
    free(faces_at);
    return !loops_are_sound            ? "a loop has fewer than three vertices or one twice"
           : total != hull->loop_count ? "loops do not fill their array"
           : !vertices_are_corners     ? "a vertex has fewer than three faces"
                                       : NULL;
}

static const char* flaw_of_edges(const CnHull* hull) {
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
    return !names_exist          ? "an edge names what is not there"
           : !has_two_faces      ? "an edge is not in the loops of its faces"
           : !edges_are_distinct ? "an edge is there twice"
           : hull->loop_count != 2 * hull->edge_count // so loops have no other edges
               ? "a loop has an edge that is none"
               : NULL;
}

const char* hull_topology_flaw(const CnHull* hull) {
    if (hull->vertex_count - hull->edge_count + hull->face_count != 2) {
        return "vertices - edges + faces is not 2"; // Euler
    }
    const char* flaw = flaw_of_loops(hull);
    return flaw != NULL ? flaw : flaw_of_edges(hull);
}

void check_hull_topology(const CnHull* hull) {
    const char* flaw = hull_topology_flaw(hull);
    ck_assert_msg(flaw == NULL, "%s", flaw);
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

const char* hull_convexity_flaw(const CnHull* hull, double tolerance) {
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
    bool is_convex = greatest_height(hull, hull->vertices, hull->vertex_count) <= tolerance;
    return !(worst_length <= 4.0 * DBL_EPSILON) ? "a normal is not unit"
           : !(lowest_own >= -tolerance)        ? "a face is not flat"
           : !is_convex                         ? "a vertex is above a face"
           : !neighbours_fall_away              ? "neighbours are coplanar or bend inward"
                                                : NULL;
}

void check_hull_convexity(const CnHull* hull, double tolerance) {
    const char* flaw = hull_convexity_flaw(hull, tolerance);
    ck_assert_msg(flaw == NULL, "%s", flaw);
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
