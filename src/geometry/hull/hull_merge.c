// hull_merge.c - flat parts of a triangulated hull become faces with any number of corners.
//
// A half-edge is 3 t + i: edge i of triangle t. It is a rim where the triangle behind it belongs to
// another face. docs/theory/collision/quickhull.md shows why what lies within a slab below a
// supporting plane is a disc, and why without tolerance the result is the polyhedron itself.
#include "geometry/hull/hull_merge.h"

#include "base/error.h"
#include "base/sort.h"

#define NONE (-1)

typedef struct Merge {
    const CnTriangulation* hull;
    int point_count;
    const int* rank;
    int* order; // living triangles, largest first   [order_count]
    int order_count;
    int* face_of; // of a triangle                          [slot_count]
    int* stack;   // triangles whose neighbours may join    [slot_count]
    int* rims;    // that leave a point                     [point_count]
    int* stamp;   // the last face whose loop met a point   [point_count]
    int* start;   // the rim a face's loop begins with      [slot_count]
    int* across;  // the face behind the edge from loop[i]  [3 slot_count]
    int* sorted;  // numbers of edges                       [3 slot_count]
    CnHullEdge* edges;
    CnMergedHull out;
} Merge;

static bool allocate(Merge* m, CnArena* arena) {
    int slots = m->hull->slot_count, points = m->point_count;
    m->order = CN_ARENA_NEW(arena, int, slots);
    m->face_of = CN_ARENA_NEW(arena, int, slots);
    m->stack = CN_ARENA_NEW(arena, int, slots);
    m->rims = CN_ARENA_NEW(arena, int, points);
    m->stamp = CN_ARENA_NEW(arena, int, points);
    m->start = CN_ARENA_NEW(arena, int, slots);
    m->across = CN_ARENA_NEW(arena, int, 3 * slots);
    m->sorted = CN_ARENA_NEW(arena, int, 3 * slots);
    m->edges = CN_ARENA_NEW(arena, CnHullEdge, 3 * slots);
    m->out.seed = CN_ARENA_NEW(arena, int, slots);
    m->out.first = CN_ARENA_NEW(arena, int, slots + 1);
    m->out.loop = CN_ARENA_NEW(arena, int, 3 * slots);
    m->out.edges = CN_ARENA_NEW(arena, CnHullEdge, 3 * slots);
    return m->order != NULL && m->face_of != NULL && m->stack != NULL && m->rims != NULL &&
           m->stamp != NULL && m->start != NULL && m->across != NULL && m->sorted != NULL &&
           m->edges != NULL && m->out.seed != NULL && m->out.first != NULL && m->out.loop != NULL &&
           m->out.edges != NULL;
}

static bool larger(int a, int b, const void* context) {
    const CnHullTriangle* triangles = context;
    double area_a = triangles[a].area, area_b = triangles[b].area;
    return area_a > area_b || (area_a == area_b && a < b);
}

static void order_by_area(Merge* m) {
    for (int t = 0; t < m->hull->slot_count; ++t) {
        if (m->hull->triangles[t].alive) {
            m->order[m->order_count++] = t;
        }
    }
    cn_sort(m->order, m->order_count, larger, m->hull->triangles);
}

static bool lies_in_plane(const Merge* m, int triangle, int seed, double tolerance) {
    for (int k = 0; k < 3; ++k) {
        int point = m->hull->triangles[triangle].vertex[k];
        if (fabs(cn_triangle_height(m->hull, seed, point)) > tolerance) {
            return false;
        }
    }
    return true;
}

static void gather_face(Merge* m, int seed, double tolerance) {
    int face = m->out.face_count++;
    int stacked = 1;
    m->out.seed[face] = seed;
    m->face_of[seed] = face;
    m->stack[0] = seed;
    while (stacked > 0) {
        const CnHullTriangle* t = &m->hull->triangles[m->stack[--stacked]];
        for (int k = 0; k < 3; ++k) {
            int other = t->neighbor[k];
            if (m->face_of[other] == NONE && lies_in_plane(m, other, seed, tolerance)) {
                m->face_of[other] = face;
                m->stack[stacked++] = other;
            }
        }
    }
}

static void gather_faces(Merge* m, double tolerance) {
    m->out.face_count = 0;
    for (int t = 0; t < m->hull->slot_count; ++t) {
        m->face_of[t] = NONE;
    }
    for (int i = 0; i < m->order_count; ++i) {
        if (m->face_of[m->order[i]] == NONE) {
            gather_face(m, m->order[i], tolerance);
        }
    }
}

static int origin(const Merge* m, int half_edge) {
    return m->hull->triangles[half_edge / 3].vertex[half_edge % 3];
}

static int behind(const Merge* m, int half_edge) {
    return m->hull->triangles[half_edge / 3].neighbor[half_edge % 3];
}

static bool is_rim(const Merge* m, int half_edge) {
    return m->face_of[half_edge / 3] != m->face_of[behind(m, half_edge)];
}

static int next_in_triangle(int half_edge) {
    return half_edge % 3 == 2 ? half_edge - 2 : half_edge + 1;
}

// The rim of the same face that begins where this one ends: turns about that point, from triangle
// to triangle of the face.
static int next_rim(const Merge* m, int half_edge) {
    int next = next_in_triangle(half_edge);
    while (!is_rim(m, next)) {
        int pivot = origin(m, next), other = behind(m, next);
        next = 3 * other;
        while (origin(m, next) != pivot) {
            next += 1;
        }
    }
    return next;
}

// As many faces meet in a point as rims leave it.
static bool is_corner(const Merge* m, int point) {
    return m->rims[point] >= 3;
}

// How many rims there are; counts those of each point and finds where loops begin.
static int find_rims(Merge* m) {
    int total = 0;
    for (int p = 0; p < m->point_count; ++p) {
        m->rims[p] = 0;
        m->stamp[p] = NONE;
    }
    for (int pass = 0; pass < 2; ++pass) { // corners are known only once all rims are counted
        for (int i = 0; i < 3 * m->order_count; ++i) {
            int half_edge = 3 * m->order[i / 3] + i % 3;
            if (!is_rim(m, half_edge)) {
                continue;
            }
            int from = origin(m, half_edge), *start = &m->start[m->face_of[half_edge / 3]];
            if (pass == 0) {
                m->rims[from] += 1;
                total += 1;
                *start = NONE;
            } else if (is_corner(m, from) && (*start == NONE || from < origin(m, *start))) {
                *start = half_edge;
            }
        }
    }
    return total;
}

// Walks around a face and writes its corners. How many rims it passed; 0 when the loop meets a
// point twice or has fewer than three corners.
static int trace_loop(Merge* m, int face) {
    int rim_count = 0, first = m->out.loop_count;
    int half_edge = m->start[face];
    do {
        int point = origin(m, half_edge);
        if (m->stamp[point] == face) {
            return 0;
        }
        m->stamp[point] = face;
        if (is_corner(m, point)) {
            m->across[m->out.loop_count] = m->face_of[behind(m, half_edge)];
            m->out.loop[m->out.loop_count++] = point;
        }
        rim_count += 1;
        half_edge = next_rim(m, half_edge);
    } while (half_edge != m->start[face]);
    return m->out.loop_count - first >= 3 ? rim_count : 0;
}

// False unless every face has one loop, and all loops together pass every rim.
static bool trace_loops(Merge* m) {
    int rims_left = m->out.face_count >= 4 ? find_rims(m) : 0;
    m->out.loop_count = 0;
    if (rims_left == 0) {
        return false;
    }
    for (int face = 0; face < m->out.face_count; ++face) {
        m->out.first[face] = m->out.loop_count;
        int passed = m->start[face] == NONE ? 0 : trace_loop(m, face);
        if (passed == 0) {
            return false;
        }
        rims_left -= passed;
    }
    m->out.first[m->out.face_count] = m->out.loop_count;
    return rims_left == 0;
}

static bool edge_before(int a, int b, const void* context) {
    const Merge* m = context;
    CnHullEdge s = m->edges[a], t = m->edges[b];
    if (s.from != t.from) {
        return m->rank[s.from] < m->rank[t.from];
    }
    return m->rank[s.to] < m->rank[t.to];
}

// Every edge from the face to its left; sorted, none twice.
static bool collect_edges(Merge* m) {
    int count = 0;
    for (int face = 0; face < m->out.face_count; ++face) {
        int first = m->out.first[face], end = m->out.first[face + 1];
        for (int k = first; k < end; ++k) {
            int from = m->out.loop[k], to = m->out.loop[k + 1 < end ? k + 1 : first];
            if (m->rank[from] < m->rank[to]) {
                m->sorted[count] = count;
                m->edges[count++] = (CnHullEdge){from, to, face, m->across[k]};
            }
        }
    }
    cn_sort(m->sorted, count, edge_before, m);
    for (int i = 0; i < count; ++i) {
        m->out.edges[i] = m->edges[m->sorted[i]];
        if (i > 0 && !edge_before(m->sorted[i - 1], m->sorted[i], m)) {
            return false;
        }
    }
    m->out.edge_count = count;
    return 2 * count == m->out.loop_count;
}

static int count_corners(const Merge* m) {
    int count = 0;
    for (int p = 0; p < m->point_count; ++p) {
        count += is_corner(m, p);
    }
    return count;
}

// False when the faces found with this tolerance do not make a polyhedron.
static bool merge_within(Merge* m, double tolerance) {
    gather_faces(m, tolerance);
    if (!trace_loops(m) || !collect_edges(m)) {
        return false;
    }
    m->out.vertex_count = count_corners(m);
    return m->out.vertex_count - m->out.edge_count + m->out.face_count == 2; // Euler
}

CnStatus cn_hull_merge(const CnTriangulation* hull, int count, const int* rank, double tolerance,
                       CnArena* arena, CnMergedHull* merged) {
    Merge merge = {.hull = hull, .point_count = count, .rank = rank};
    if (!allocate(&merge, arena)) {
        return CN_NO_MEMORY;
    }
    order_by_area(&merge);
    bool valid = merge_within(&merge, tolerance);
    while (!valid && tolerance > 0.0) {
        tolerance = tolerance > 1.0 ? tolerance / 4.0 : 0.0; // below a grid step there is only none
        valid = merge_within(&merge, tolerance);
    }
    CN_ASSERT(valid);
    *merged = merge.out;
    return CN_OK;
}
