// quickhull.c - the convex hull of points on a grid, as triangles.
//
// Barber, Dobkin, Huhdanpaa 1996, with exact orientation: every point above the surface hangs on
// one triangle that it is above. The highest point of a triangle becomes a vertex: the triangles it
// sees are replaced by a fan from it to their border, and their points are hung on the fan.
#include "geometry/hull/quickhull.h"

#include "base/error.h"
#include "geometry/hull/orientation.h"

#define NONE (-1)

// A border edge of what a new vertex sees, with the triangle behind it.
typedef struct Border {
    int from, to, behind;
} Border;

typedef struct HullBuilder {
    CnTriangulation hull;
    int count; // of points
    double tolerance;
    int* next;      // the point after this one on the same triangle   [count]
    double* height; // of a point above the triangle it hangs on       [count]
    int* fan_from;  // the fan's triangle whose border edge starts at a point   [count]
    int* seen;      // triangles that the new vertex sees   [2 count]
    int* free;      // slots to use again                   [2 count]
    int* waiting;   // triangles whose points are to be looked at   [2 count]
    Border* border; // [count]
    int seen_count, free_count, waiting_count, border_count;
    int visit;
} HullBuilder;

static bool allocate(HullBuilder* b, const CnVec3* points, int count, CnArena* arena) {
    // A triangulated sphere with n vertices has 2 n - 4 triangles.
    int most = 2 * count;
    b->hull.points = points;
    b->count = count;
    b->hull.triangles = CN_ARENA_NEW(arena, CnHullTriangle, most);
    b->next = CN_ARENA_NEW(arena, int, count);
    b->height = CN_ARENA_NEW(arena, double, count);
    b->fan_from = CN_ARENA_NEW(arena, int, count);
    b->seen = CN_ARENA_NEW(arena, int, most);
    b->free = CN_ARENA_NEW(arena, int, most);
    b->waiting = CN_ARENA_NEW(arena, int, most);
    b->border = CN_ARENA_NEW(arena, Border, count);
    return b->hull.triangles != NULL && b->next != NULL && b->height != NULL &&
           b->fan_from != NULL && b->seen != NULL && b->free != NULL && b->waiting != NULL &&
           b->border != NULL;
}

double cn_triangle_height(const CnTriangulation* hull, int triangle, int point) {
    const CnHullTriangle* t = &hull->triangles[triangle];
    const CnVec3* p = hull->points;
    return cn_orientation(p[t->vertex[0]], p[t->vertex[1]], p[t->vertex[2]], p[point]) / t->area;
}

static int add_triangle(HullBuilder* b, int first, int second, int third) {
    int slot = b->free_count > 0 ? b->free[--b->free_count] : b->hull.slot_count++;
    CnHullTriangle* t = &b->hull.triangles[slot];
    bool waiting = t->waiting; // a free slot may still be in the list
    const CnVec3* p = b->hull.points;
    double area = cn_vec3_length(cn_triangle_normal(p[first], p[second], p[third]));
    *t = (CnHullTriangle){
        .vertex = {first, second, third},
        .neighbor = {NONE, NONE, NONE},
        .area = area,
        .outside = NONE,
        .alive = true,
        .waiting = waiting,
    };
    return slot;
}

static void wait_for(HullBuilder* b, int triangle) {
    if (!b->hull.triangles[triangle].waiting) {
        b->hull.triangles[triangle].waiting = true;
        b->waiting[b->waiting_count++] = triangle;
    }
}

static void hang(HullBuilder* b, int point, int triangle, double height) {
    CnHullTriangle* t = &b->hull.triangles[triangle];
    b->next[point] = t->outside;
    b->height[point] = height;
    t->outside = point;
    wait_for(b, triangle);
}

// On the triangle it is highest above; a point above none of them is inside for good.
static void hang_on_best(HullBuilder* b, int point, const int* triangles, int count) {
    int best = NONE;
    double best_height = 0.0;
    for (int i = 0; i < count; ++i) {
        double height = cn_triangle_height(&b->hull, triangles[i], point);
        if (height > best_height) {
            best = triangles[i];
            best_height = height;
        }
    }
    if (best != NONE) {
        hang(b, point, best, best_height);
    }
}

// The first simplex: the first point, the one farthest from it, the one farthest from their line,
// the one farthest from their plane.
static int farthest_from_point(const HullBuilder* b, int from, double* distance) {
    int best = from;
    *distance = 0.0;
    for (int i = 0; i < b->count; ++i) {
        double d = cn_vec3_length(cn_vec3_sub(b->hull.points[i], b->hull.points[from]));
        if (d > *distance) {
            *distance = d;
            best = i;
        }
    }
    return best;
}

static int farthest_from_line(const HullBuilder* b, int from, int to, double* distance) {
    const CnVec3* p = b->hull.points;
    double length = cn_vec3_length(cn_vec3_sub(p[to], p[from]));
    int best = from;
    *distance = 0.0;
    for (int i = 0; i < b->count; ++i) {
        double d = cn_vec3_length(cn_triangle_normal(p[from], p[to], p[i])) / length;
        if (d > *distance) {
            *distance = d;
            best = i;
        }
    }
    return best;
}

static int farthest_from_plane(const HullBuilder* b, const int plane[3], double* height) {
    const CnVec3* p = b->hull.points;
    CnVec3 u = p[plane[0]], v = p[plane[1]], w = p[plane[2]];
    double area = cn_vec3_length(cn_triangle_normal(u, v, w));
    int best = plane[0];
    *height = 0.0;
    for (int i = 0; i < b->count; ++i) {
        double h = cn_orientation(u, v, w, p[i]) / area;
        if (fabs(h) > fabs(*height)) {
            *height = h;
            best = i;
        }
    }
    return best;
}

// Oriented so that vertex 3 is below the triangle 0 1 2.
static CnStatus find_simplex(const HullBuilder* b, int simplex[4], CnError* error) {
    double size = 0.0;
    simplex[0] = 0;
    simplex[1] = farthest_from_point(b, 0, &size);
    if (size <= b->tolerance) {
        return cn_error_set(error, CN_INVALID, "points: all are the same to within round-off");
    }
    simplex[2] = farthest_from_line(b, 0, simplex[1], &size);
    if (size <= b->tolerance) {
        return cn_error_set(error, CN_INVALID, "points: all lie on a line to within round-off");
    }
    simplex[3] = farthest_from_plane(b, simplex, &size);
    if (fabs(size) <= b->tolerance) {
        return cn_error_set(error, CN_INVALID, "points: all lie in a plane to within round-off");
    }
    if (size > 0.0) {
        int swap = simplex[1];
        simplex[1] = simplex[2];
        simplex[2] = swap;
    }
    return CN_OK;
}

// Edge i of triangle t has triangle[i] of this table behind it.
static void build_simplex(HullBuilder* b, const int s[4]) {
    static const int corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const int behind[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    int slots[4];
    for (int i = 0; i < 4; ++i) {
        slots[i] = add_triangle(b, s[corner[i][0]], s[corner[i][1]], s[corner[i][2]]);
    }
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) {
            b->hull.triangles[slots[i]].neighbor[k] = slots[behind[i][k]];
        }
    }
    for (int i = 0; i < b->count; ++i) {
        hang_on_best(b, i, slots, 4); // its own vertices are above none
    }
}

// All triangles that the point is above, starting from one: they hang together.
static void find_seen(HullBuilder* b, int point, int start) {
    CnHullTriangle* triangles = b->hull.triangles;
    b->visit += 1;
    b->seen[0] = start;
    b->seen_count = 1;
    triangles[start].visit = b->visit;
    for (int i = 0; i < b->seen_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            int other = triangles[b->seen[i]].neighbor[k];
            if (triangles[other].visit != b->visit &&
                cn_triangle_height(&b->hull, other, point) > 0.0) {
                triangles[other].visit = b->visit;
                b->seen[b->seen_count++] = other;
            }
        }
    }
}

static void find_border(HullBuilder* b) {
    const CnHullTriangle* triangles = b->hull.triangles;
    b->border_count = 0;
    for (int i = 0; i < b->seen_count; ++i) {
        const CnHullTriangle* t = &triangles[b->seen[i]];
        for (int k = 0; k < 3; ++k) {
            if (triangles[t->neighbor[k]].visit != b->visit) {
                b->border[b->border_count++] =
                    (Border){t->vertex[k], t->vertex[(k + 1) % 3], t->neighbor[k]};
            }
        }
    }
}

// Frees the seen triangles; their points, without the new vertex, become one list.
static int remove_seen(HullBuilder* b, int eye) {
    int orphans = NONE;
    for (int i = 0; i < b->seen_count; ++i) {
        CnHullTriangle* t = &b->hull.triangles[b->seen[i]];
        int point = t->outside;
        while (point != NONE) {
            int after = b->next[point];
            if (point != eye) {
                b->next[point] = orphans;
                orphans = point;
            }
            point = after;
        }
        t->alive = false;
        t->outside = NONE;
        b->free[b->free_count++] = b->seen[i];
    }
    return orphans;
}

static int edge_from(const CnHullTriangle* t, int vertex) {
    return t->vertex[0] == vertex ? 0 : t->vertex[1] == vertex ? 1 : 2;
}

// One triangle from each border edge to the new vertex. The border is one closed line through
// distinct points, so the fan's neighbours find each other by where their border edges start.
static void build_fan(HullBuilder* b, int eye) {
    CnHullTriangle* triangles = b->hull.triangles;
    for (int i = 0; i < b->border_count; ++i) {
        Border edge = b->border[i];
        int slot = add_triangle(b, edge.from, edge.to, eye);
        triangles[slot].neighbor[0] = edge.behind;
        triangles[edge.behind].neighbor[edge_from(&triangles[edge.behind], edge.to)] = slot;
        b->fan_from[edge.from] = slot;
        b->seen[i] = slot;
    }
    for (int i = 0; i < b->border_count; ++i) {
        int after = b->fan_from[b->border[i].to];
        triangles[b->seen[i]].neighbor[1] = after;
        triangles[after].neighbor[2] = b->seen[i];
    }
}

static void add_vertex(HullBuilder* b, int eye, int triangle) {
    find_seen(b, eye, triangle);
    find_border(b);
    int orphans = remove_seen(b, eye);
    build_fan(b, eye);
    while (orphans != NONE) {
        int after = b->next[orphans];
        hang_on_best(b, orphans, b->seen, b->border_count);
        orphans = after;
    }
}

static int highest_point(const HullBuilder* b, int triangle) {
    int best = b->hull.triangles[triangle].outside;
    for (int i = best; i != NONE; i = b->next[i]) {
        if (b->height[i] > b->height[best] || (b->height[i] == b->height[best] && i < best)) {
            best = i;
        }
    }
    return best;
}

static void grow(HullBuilder* b) {
    while (b->waiting_count > 0) {
        int triangle = b->waiting[--b->waiting_count];
        b->hull.triangles[triangle].waiting = false;
        int eye = b->hull.triangles[triangle].alive ? highest_point(b, triangle) : NONE;
        if (eye != NONE && b->height[eye] > b->tolerance) {
            add_vertex(b, eye, triangle);
        }
    }
}

// A point that is low above its own triangle may be high above another. Those that are hang on the
// highest they see from now on. Whether there were any.
static bool lift_low_points(HullBuilder* b) {
    bool any = false;
    for (int slot = 0; slot < b->hull.slot_count; ++slot) {
        CnHullTriangle* t = &b->hull.triangles[slot];
        int point = t->alive ? t->outside : NONE;
        t->outside = NONE;
        while (point != NONE) {
            int after = b->next[point];
            find_seen(b, point, slot);
            hang_on_best(b, point, b->seen, b->seen_count);
            any = any || b->height[point] > b->tolerance;
            point = after;
        }
    }
    return any;
}

CnStatus cn_quickhull(const CnVec3* points, int count, double tolerance, CnArena* arena,
                      CnTriangulation* hull, CnError* error) {
    HullBuilder builder = {.tolerance = tolerance};
    if (!allocate(&builder, points, count, arena)) {
        return CN_NO_MEMORY;
    }
    int simplex[4];
    CnStatus status = find_simplex(&builder, simplex, error);
    if (status != CN_OK) {
        return status;
    }
    build_simplex(&builder, simplex);
    do {
        grow(&builder);
    } while (lift_low_points(&builder));
    *hull = builder.hull;
    return CN_OK;
}
