// hull.c - the convex polyhedron of a set of points.
#include "geometry/hull/hull.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "geometry/hull/hull_merge.h"
#include "geometry/hull/orientation.h"
#include "geometry/hull/quickhull.h"

#include <string.h>

// What points are rounded to: the largest coordinate becomes at most 2^52 steps, so that
// differences of coordinates are exact in double. A step is at most 2 DBL_EPSILON of it.
#define GRID_BITS 52

// Points of one flat face that were turned and moved in double precision are this far from a common
// plane [grid]: equation (1) of docs/theory/collision/quickhull.md.
#define FLATNESS 32.0

// Squares and cubes of coordinates stay finite and far from the smallest numbers.
#define LARGEST_COORDINATE 1e100

typedef struct Grid {
    const CnVec3* points; // as given
    int* order;           // distinct ones by place: x, y, z; into points   [count]
    CnVec3* at;           // their places [grid]                            [count]
    CnVec3* rounded;      // all points on the grid, as given [grid]
    int count;
} Grid;

static double size_of(CnVec3 p) {
    return fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z)));
}

static CnStatus check_points(const CnVec3* points, int count, double* size, CnError* error) {
    if (count < 4) {
        return cn_error_set(error, CN_INVALID, "points: %d given; a hull needs at least 4", count);
    }
    if (count > CN_HULL_POINT_LIMIT) {
        return cn_error_set(error, CN_INVALID, "points: %d given; a hull takes at most %d", count,
                            CN_HULL_POINT_LIMIT);
    }
    *size = 0.0;
    for (int i = 0; i < count; ++i) {
        if (!cn_vec3_is_finite(points[i])) {
            return cn_error_set(error, CN_INVALID, "points[%d] is not finite", i);
        }
        double farthest = size_of(points[i]);
        if (farthest > LARGEST_COORDINATE) {
            return cn_error_set(error, CN_INVALID,
                                "points[%d] has a coordinate of %g m; a hull takes at most %g m", i,
                                farthest, LARGEST_COORDINATE);
        }
        *size = fmax(*size, farthest);
    }
    return CN_OK;
}

// -1, 0 or 1 as a comes before b, is in the same place, or comes after.
static int compare_places(CnVec3 a, CnVec3 b) {
    if (a.x != b.x) {
        return a.x < b.x ? -1 : 1;
    }
    if (a.y != b.y) {
        return a.y < b.y ? -1 : 1;
    }
    return a.z != b.z ? (a.z < b.z ? -1 : 1) : 0;
}

// By place on the grid, then by exact place, so that what stands for points that round together
// does not depend on the order they are given in; then by number.
static bool point_before(int a, int b, const void* context) {
    const Grid* grid = context;
    int order = compare_places(grid->rounded[a], grid->rounded[b]);
    if (order == 0) {
        order = compare_places(grid->points[a], grid->points[b]);
    }
    return order != 0 ? order < 0 : a < b;
}

static bool round_points(const CnVec3* points, int count, double size, CnArena* arena, Grid* grid) {
    *grid = (Grid){
        .points = points,
        .order = CN_ARENA_NEW(arena, int, count),
        .at = CN_ARENA_NEW(arena, CnVec3, count),
        .rounded = CN_ARENA_NEW(arena, CnVec3, count),
    };
    if (grid->order == NULL || grid->at == NULL || grid->rounded == NULL) {
        return false;
    }
    int exponent = 0;
    (void)frexp(size, &exponent); // size < 2^exponent
    int shift = GRID_BITS - exponent;
    for (int i = 0; i < count; ++i) {
        CnVec3 p = points[i];
        grid->rounded[i] =
            cn_vec3(rint(ldexp(p.x, shift)), rint(ldexp(p.y, shift)), rint(ldexp(p.z, shift)));
        grid->order[i] = i;
    }
    cn_sort(grid->order, count, point_before, grid);
    for (int i = 0; i < count; ++i) {
        CnVec3 place = grid->rounded[grid->order[i]];
        if (grid->count == 0 || compare_places(place, grid->at[grid->count - 1]) != 0) {
            grid->order[grid->count] = grid->order[i];
            grid->at[grid->count++] = place;
        }
    }
    return true;
}

static size_t rounded_up(size_t bytes) {
    return (bytes + CN_ALIGNMENT - 1) / CN_ALIGNMENT * CN_ALIGNMENT;
}

// A hull in the making, and those of its arrays that are nobody else's to write.
typedef struct HullDraft {
    CnHull* hull;
    CnHullEdge* edges;
    int *loop, *side;
    CnVec3* inward;
    CnOutline* outlines;
    double* columns;
    uint64_t* edge_sets;
} HullDraft;

// Where the arrays of a hull lie in its block [bytes].
typedef struct HullLayout {
    size_t vertices, faces, edges, loop, side, inward, outlines, columns, edge_sets, end;
} HullLayout;

static HullLayout lay_out(int vertex_count, int face_count, int edge_count, int loop_count) {
    HullLayout at = {.vertices = rounded_up(sizeof(CnHull))};
    size_t outlines = (size_t)cn_hull_outline_count(face_count, loop_count);
    size_t numbers = (size_t)CN_HULL_COLUMNS(vertex_count, face_count);
    size_t words = (size_t)cn_hull_edge_words(face_count, edge_count);
    at.faces = at.vertices + rounded_up((size_t)vertex_count * sizeof(CnVec3));
    at.edges = at.faces + rounded_up((size_t)face_count * sizeof(CnHullFace));
    at.loop = at.edges + rounded_up((size_t)edge_count * sizeof(CnHullEdge));
    at.side = at.loop + rounded_up((size_t)loop_count * sizeof(int));
    at.inward = at.side + rounded_up((size_t)loop_count * sizeof(int));
    at.outlines = at.inward + rounded_up((size_t)loop_count * sizeof(CnVec3));
    at.columns = at.outlines + rounded_up(outlines * sizeof(CnOutline));
    at.edge_sets = at.columns + rounded_up(numbers * sizeof(double));
    at.end = at.edge_sets + words * sizeof(uint64_t);
    return at;
}

static bool allocate_hull(const CnMergedHull* merged, const CnAllocator* allocator,
                          HullDraft* draft) {
    HullLayout at =
        lay_out(merged->vertex_count, merged->face_count, merged->edge_count, merged->loop_count);
    char* block = cn_allocate(allocator, at.end, 1);
    if (block == NULL) {
        return false;
    }
    *draft = (HullDraft){
        .hull = (CnHull*)(void*)block,
        .edges = (CnHullEdge*)(void*)(block + at.edges),
        .loop = (int*)(void*)(block + at.loop),
        .side = (int*)(void*)(block + at.side),
        .inward = (CnVec3*)(void*)(block + at.inward),
        .outlines = (CnOutline*)(void*)(block + at.outlines),
        .columns = (double*)(void*)(block + at.columns),
        .edge_sets = (uint64_t*)(void*)(block + at.edge_sets),
    };
    *draft->hull = (CnHull){
        .vertex_count = merged->vertex_count,
        .face_count = merged->face_count,
        .edge_count = merged->edge_count,
        .loop_count = merged->loop_count,
        .vertices = (CnVec3*)(void*)(block + at.vertices),
        .faces = (CnHullFace*)(void*)(block + at.faces),
        .edges = draft->edges,
        .loop = draft->loop,
        .side = draft->side,
        .inward = draft->inward,
    };
    return true;
}

// number[i] becomes the vertex that stands for the distinct point i; vertices keep the order of the
// points as given, for which slots [given count] is scratch memory.
static void number_vertices(const Grid* grid, const CnMergedHull* merged, int given, int* slots,
                            int* number, CnHull* hull) {
    const int none = -1;
    for (int i = 0; i < given; ++i) {
        slots[i] = none;
    }
    for (int i = 0; i < merged->loop_count; ++i) {
        slots[grid->order[merged->loop[i]]] = merged->loop[i];
    }
    int count = 0;
    for (int i = 0; i < given; ++i) {
        if (slots[i] != none) {
            number[slots[i]] = count;
            hull->vertices[count++] = grid->points[i];
        }
    }
}

// The plane of a face is that of its largest triangle, which no point on the grid is above. Off the
// grid the triangle's corners keep a little distance from it; the highest counts.
static void place_face(const Grid* grid, const CnHullTriangle* seed, CnHullFace* face) {
    const int* corner = seed->vertex;
    face->normal = cn_vec3_normalize(
        cn_triangle_normal(grid->at[corner[0]], grid->at[corner[1]], grid->at[corner[2]]));
    for (int k = 0; k < 3; ++k) {
        double height = cn_vec3_dot(face->normal, grid->points[grid->order[corner[k]]]);
        face->offset = k == 0 ? height : fmax(face->offset, height);
    }
}

static void fill_hull(const Grid* grid, const CnTriangulation* triangulation,
                      const CnMergedHull* merged, const int* number, HullDraft* draft) {
    for (int i = 0; i < merged->loop_count; ++i) {
        draft->loop[i] = number[merged->loop[i]];
    }
    for (int i = 0; i < merged->edge_count; ++i) {
        CnHullEdge edge = merged->edges[i];
        draft->edges[i] = (CnHullEdge){number[edge.from], number[edge.to], edge.left, edge.right};
    }
    for (int i = 0; i < merged->face_count; ++i) {
        CnHullFace* face = &draft->hull->faces[i];
        face->first = merged->first[i];
        face->count = merged->first[i + 1] - merged->first[i];
        place_face(grid, &triangulation->triangles[merged->seed[i]], face);
    }
}

// Edges are sorted by their vertices.
static int find_edge(const CnHull* hull, int from, int to) {
    int low = 0, high = hull->edge_count - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        const CnHullEdge* edge = &hull->edges[middle];
        bool is_before = edge->from < from || (edge->from == from && edge->to < to);
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    return low;
}

static void find_sides(HullDraft* draft) {
    const CnHull* hull = draft->hull;
    for (int i = 0; i < hull->face_count; ++i) {
        const CnHullFace* face = &hull->faces[i];
        for (int k = 0; k < face->count; ++k) {
            int from = hull->loop[face->first + k];
            int to = hull->loop[face->first + (k + 1) % face->count];
            draft->side[face->first + k] =
                from < to ? find_edge(hull, from, to) : find_edge(hull, to, from);
            CnVec3 along = cn_vec3_sub(hull->vertices[to], hull->vertices[from]);
            draft->inward[face->first + k] = cn_vec3_normalize(cn_vec3_cross(face->normal, along));
        }
    }
}

// About the mean of the vertices.
static void find_balls(CnHull* hull) {
    CnVec3 sum = cn_vec3(0.0, 0.0, 0.0);
    for (int i = 0; i < hull->vertex_count; ++i) {
        sum = cn_vec3_add(sum, hull->vertices[i]);
    }
    hull->center = cn_vec3_scale(1.0 / hull->vertex_count, sum);
    hull->inner = HUGE_VAL;
    for (int i = 0; i < hull->face_count; ++i) {
        const CnHullFace* face = &hull->faces[i];
        hull->inner = fmin(hull->inner, face->offset - cn_vec3_dot(face->normal, hull->center));
    }
    hull->inner = fmax(hull->inner, 0.0); // of a sliver, less than round-off
    hull->outer = 0.0;
    for (int i = 0; i < hull->vertex_count; ++i) {
        CnVec3 out = cn_vec3_sub(hull->vertices[i], hull->center);
        hull->outer = fmax(hull->outer, cn_vec3_length(out));
    }
    hull->reach = fabs(hull->center.x) + fabs(hull->center.y) + fabs(hull->center.z) + hull->outer;
}

static void find_sharpest(CnHull* hull) {
    double least = 1.0;
    for (int i = 0; i < hull->edge_count; ++i) {
        CnVec3 left = hull->faces[hull->edges[i].left].normal;
        CnVec3 right = hull->faces[hull->edges[i].right].normal;
        least = fmin(least, 0.5 * cn_vec3_length(cn_vec3_add(left, right)));
    }
    hull->sharpest = least;
}

// Pairs of more faces take long, and are hardly ever told apart by it.
#define TELLING 256

static void find_alike(CnHull* hull) {
    double square = hull->face_count > TELLING ? 4.0 : 0.0;
    for (int i = 0; square < 4.0 && i < hull->face_count; ++i) {
        for (int j = 0; j < i; ++j) {
            CnVec3 sum = cn_vec3_add(hull->faces[i].normal, hull->faces[j].normal);
            square = fmax(square, cn_vec3_dot(sum, sum));
        }
    }
    hull->alike = 0.5 * sqrt(square);
}

static CnStatus build(const CnVec3* points, int count, double size, const CnAllocator* allocator,
                      CnArena* arena, CnHull** hull, CnError* error) {
    Grid grid;
    CnTriangulation triangulation;
    CnMergedHull merged;
    HullDraft draft;
    int* slots = CN_ARENA_NEW(arena, int, count);
    int* number = CN_ARENA_NEW(arena, int, count);
    CnStatus status = CN_NO_MEMORY;
    if (slots != NULL && number != NULL && round_points(points, count, size, arena, &grid)) {
        status = cn_quickhull(grid.at, grid.count, FLATNESS, arena, &triangulation, error);
    }
    if (status == CN_OK) {
        status = cn_hull_merge(&triangulation, grid.count, grid.order, FLATNESS, arena, &merged);
    }
    if (status == CN_OK) {
        status = allocate_hull(&merged, allocator, &draft) ? CN_OK : CN_NO_MEMORY;
    }
    if (status == CN_OK) {
        *hull = draft.hull;
        number_vertices(&grid, &merged, count, slots, number, *hull);
        fill_hull(&grid, &triangulation, &merged, number, &draft);
        find_sides(&draft);
        find_balls(*hull);
        find_sharpest(*hull);
        find_alike(*hull);
        cn_hull_lay_columns(*hull, draft.columns);
        cn_hull_lay_outlines(*hull, draft.outlines);
        cn_hull_lay_edge_sets(*hull, draft.edge_sets);
    }
    return status;
}

CnStatus cn_hull_build(const CnVec3* points, int count, const CnAllocator* allocator, CnHull** hull,
                       CnError* error) {
    double size = 0.0;
    *hull = NULL;
    CnStatus status = check_points(points, count, &size, error);
    if (status != CN_OK) {
        return status;
    }
    CnArena arena;
    cn_arena_init(&arena, allocator);
    status = build(points, count, size, allocator, &arena, hull, error);
    cn_arena_destroy(&arena);
    if (status == CN_NO_MEMORY) {
        cn_error_set(error, CN_NO_MEMORY, "no memory for the hull of %d points", count);
    }
    return status;
}

void cn_hull_free(CnHull* hull, const CnAllocator* allocator) {
    cn_release(allocator, hull);
}

// An address in one block as the same place in another; NULL stays NULL.
static const void* moved(const void* address, const CnHull* from, const char* to) {
    return address == NULL ? NULL : to + ((const char*)address - (const char*)from);
}

CnHull* cn_hull_copy(const CnHull* hull, const CnAllocator* allocator) {
    HullLayout at =
        lay_out(hull->vertex_count, hull->face_count, hull->edge_count, hull->loop_count);
    char* block = cn_allocate(allocator, at.end, 1);
    CnHull* copy = (CnHull*)(void*)block;
    if (block == NULL) {
        return NULL;
    }
    memcpy(block, hull, at.end);
    copy->vertices = (CnVec3*)(void*)(block + at.vertices);
    copy->faces = (CnHullFace*)(void*)(block + at.faces);
    copy->edges = moved(hull->edges, hull, block);
    copy->loop = moved(hull->loop, hull, block);
    copy->side = moved(hull->side, hull, block);
    copy->inward = moved(hull->inward, hull, block);
    copy->edge_sets = moved(hull->edge_sets, hull, block);
    copy->outlines = moved(hull->outlines, hull, block);
    const CnHullColumns* columns = &hull->columns;
    copy->columns = (CnHullColumns){
        .x = moved(columns->x, hull, block),
        .y = moved(columns->y, hull, block),
        .z = moved(columns->z, hull, block),
        .normal_x = moved(columns->normal_x, hull, block),
        .normal_y = moved(columns->normal_y, hull, block),
        .normal_z = moved(columns->normal_z, hull, block),
        .offset = moved(columns->offset, hull, block),
    };
    return copy;
}
