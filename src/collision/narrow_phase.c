// narrow_phase.c - the narrow phase: pairs of placed shapes in, contact points out.
#include "collision/narrow_phase.h"

#include "base/fetch.h"
#include "collision/collide_pairs.h"
#include "collision/convex/distance.h"
#include "collision/convex/pair_order.h"
#include "collision/convex/still_apart.h"
#include "collision/hull/polyhedron_pairs.h"
#include "collision/round/thin_apart.h"
#include "geometry/surface.h"

#include <string.h>

typedef struct PairKind PairKind;

// Finds the points of pair i. `swapped`: the cell of the table is that of B and A. The points of
// convex shapes go to the four places that belong to the pair; those of surfaces to the end of
// scratch->points. False: no memory.
typedef bool PairFunction(const PairKind* kind, const CnNarrowPair* pair, bool swapped, int i,
                          CnNarrowScratch* scratch, CnNarrowResult* results);

// Whether a pair is certainly apart.
typedef bool ApartFunction(const CnNarrowPair* pair, bool swapped);

struct PairKind {
    PairFunction* collide;     // NULL: never meet
    CnCollideFunction* kernel; // for collide_shapes and collide_surface
    bool remembers_axis;       // testing the last separating axis is cheaper than the pair
    ApartFunction* is_apart;   // NULL: none is cheaper than the pair
};

static CnManifoldPoint* points_of(const CnNarrowScratch* scratch, int i) {
    return &scratch->points.data[i * CN_MANIFOLD_POINTS];
}

static bool has_one_normal(const CnManifoldPoint* points, int count) {
    for (int i = 1; i < count; ++i) {
        if (memcmp(&points[i].normal, &points[0].normal, sizeof points[0].normal) != 0) {
            return false;
        }
    }
    return true;
}

// Two shapes of one type are passed to the kernel in an order that does not depend on which is A.
static bool collide_shapes(const PairKind* kind, const CnNarrowPair* pair, bool swapped, int i,
                           CnNarrowScratch* scratch, CnNarrowResult* results) {
    const CnPlacedShape *a = pair->a, *b = pair->b;
    CnManifoldPoint* points = points_of(scratch, i);
    bool reversed = a->shape->type == b->shape->type ? cn_pair_is_reversed(*a, *b) : swapped;
    int count = reversed ? kind->kernel(*b, *a, pair->margin, points)
                         : kind->kernel(*a, *b, pair->margin, points);
    for (int k = 0; reversed && k < count; ++k) {
        points[k].normal = cn_vec3_negate(points[k].normal);
    }
    results[i] = (CnNarrowResult){i * CN_MANIFOLD_POINTS, count, has_one_normal(points, count)};
    return true;
}

static bool collide_polyhedra(const PairKind* kind, const CnNarrowPair* pair, bool swapped, int i,
                              CnNarrowScratch* scratch, CnNarrowResult* results) {
    (void)kind, (void)swapped;
    int count = cn_collide_polyhedra(pair->polyhedron_a, pair->polyhedron_b, pair->margin,
                                     points_of(scratch, i));
    results[i] = (CnNarrowResult){i * CN_MANIFOLD_POINTS, count, true};
    return true;
}

// Boxes are collected into a batch: see cn_narrow_phase().
static bool add_boxes(const PairKind* kind, const CnNarrowPair* pair, bool swapped, int i,
                      CnNarrowScratch* scratch, CnNarrowResult* results) {
    (void)kind, (void)swapped, (void)results;
    int k = scratch->box_count++;
    scratch->box_index[k] = i;
    scratch->box_pairs[k] = (CnBoxPair){pair->polyhedron_a, pair->polyhedron_b, pair->margin};
    return true;
}

static bool collide_surface(const PairKind* kind, const CnNarrowPair* pair, bool swapped, int i,
                            CnNarrowScratch* scratch, CnNarrowResult* results) {
    const CnPlacedShape* surface = swapped ? pair->b : pair->a;
    const CnPlacedShape* convex = swapped ? pair->a : pair->b;
    int first = scratch->points.count;
    if (!cn_collide_surface(*surface, *convex, kind->kernel, pair->margin, scratch->allocator,
                            &scratch->surface, &scratch->points)) {
        return false;
    }
    CnManifoldPoint* points = &scratch->points.data[first];
    int count = scratch->points.count - first;
    for (int k = 0; swapped && k < count; ++k) {
        points[k].normal = cn_vec3_negate(points[k].normal);
    }
    results[i] = (CnNarrowResult){first, count, has_one_normal(points, count)};
    return true;
}

static bool are_thin_apart(const CnNarrowPair* pair, bool swapped) {
    (void)swapped;
    return cn_thin_is_apart_from_thin(pair->a, pair->b, pair->margin);
}

static bool is_box_apart(const CnNarrowPair* pair, bool swapped) {
    const CnPlacedPolyhedron* box = swapped ? pair->polyhedron_b : pair->polyhedron_a;
    return cn_thin_is_apart_from_box(swapped ? pair->a : pair->b, box, pair->margin);
}

// clang-format off
#define SHAPES(function) {collide_shapes, function, false, NULL} // closed forms: as fast as the axis test
#define THIN(function) {collide_shapes, function, false, are_thin_apart}
#define CONVEX {collide_shapes, cn_collide_convex, true, NULL}
#define POLYHEDRA {collide_polyhedra, NULL, true, NULL}
#define BOXES {add_boxes, NULL, false, NULL} // they have a rough test of their own
#define SURFACE                                                                                    \
    {                                                                                              \
        [CN_SHAPE_SPHERE] = {collide_surface, cn_collide_triangle_sphere, false, NULL},            \
        [CN_SHAPE_BOX] = {collide_surface, cn_collide_polyhedron_polyhedron, false, NULL},         \
        [CN_SHAPE_CAPSULE] = {collide_surface, cn_collide_triangle_capsule, false, NULL},          \
        [CN_SHAPE_CYLINDER] = {collide_surface, cn_collide_convex, false, NULL},                   \
        [CN_SHAPE_CONVEX] = {collide_surface, cn_collide_polyhedron_polyhedron, false, NULL},      \
    }

// Row: type of A; column: type of B. An empty cell whose mirror is filled is called with the two
// swapped; a pair with neither (plane and plane) never meets. The kernel of a surface is that of
// one of its triangles.
static const PairKind table[CN_SHAPE_TYPE_COUNT][CN_SHAPE_TYPE_COUNT] = {
    [CN_SHAPE_SPHERE] = {
        [CN_SHAPE_SPHERE] = SHAPES(cn_collide_sphere_sphere),
        [CN_SHAPE_BOX] = SHAPES(cn_collide_sphere_box),
        [CN_SHAPE_CAPSULE] = THIN(cn_collide_sphere_capsule),
        [CN_SHAPE_CYLINDER] = SHAPES(cn_collide_sphere_cylinder),
        [CN_SHAPE_CONVEX] = SHAPES(cn_collide_convex),
    },
    [CN_SHAPE_PLANE] = {
        [CN_SHAPE_SPHERE] = SHAPES(cn_collide_plane_sphere),
        [CN_SHAPE_BOX] = SHAPES(cn_collide_plane_polyhedron),
        [CN_SHAPE_CAPSULE] = SHAPES(cn_collide_plane_capsule),
        [CN_SHAPE_CYLINDER] = SHAPES(cn_collide_plane_cylinder),
        [CN_SHAPE_CONVEX] = SHAPES(cn_collide_plane_polyhedron),
    },
    [CN_SHAPE_BOX] = {
        [CN_SHAPE_BOX] = BOXES,
        [CN_SHAPE_CAPSULE] = {collide_shapes, cn_collide_box_capsule, false, is_box_apart},
        [CN_SHAPE_CYLINDER] = CONVEX,
        [CN_SHAPE_CONVEX] = POLYHEDRA,
    },
    [CN_SHAPE_CAPSULE] = {
        [CN_SHAPE_CAPSULE] = THIN(cn_collide_capsule_capsule),
        [CN_SHAPE_CYLINDER] = CONVEX,
        [CN_SHAPE_CONVEX] = CONVEX,
    },
    [CN_SHAPE_CYLINDER] = {
        [CN_SHAPE_CYLINDER] = CONVEX,
        [CN_SHAPE_CONVEX] = CONVEX,
    },
    [CN_SHAPE_CONVEX] = {
        [CN_SHAPE_CONVEX] = POLYHEDRA,
    },
    [CN_SHAPE_MESH] = SURFACE,
    [CN_SHAPE_HEIGHT_FIELD] = SURFACE,
};
// clang-format on

static const PairKind* kind_of(const CnNarrowPair* pair, bool* swapped) {
    CnShapeType a = pair->a->shape->type, b = pair->b->shape->type;
    *swapped = table[a][b].collide == NULL;
    return *swapped ? &table[b][a] : &table[a][b];
}

// Where the points of a batch of boxes go is known only once it is full: appending those of a
// surface may have moved all of them in memory.
static void aim_boxes(CnNarrowScratch* scratch) {
    for (int k = 0; k < scratch->box_count; ++k) {
        scratch->box_contacts[k].points = points_of(scratch, scratch->box_index[k]);
    }
}

// The batch is finished; its points are in their places.
static void take_boxes(CnNarrowScratch* scratch, CnNarrowResult* results) {
    for (int k = 0; k < scratch->box_count; ++k) {
        int i = scratch->box_index[k];
        results[i] = (CnNarrowResult){i * CN_MANIFOLD_POINTS, scratch->box_contacts[k].count, true};
    }
    scratch->box_count = 0;
}

// Whether the balls around two shapes are further apart than the margin, by more than round-off:
// then no function would find a point. A plane is in no ball.
static bool are_balls_apart(const CnNarrowPair* pair) {
    const CnShape *a = pair->a->shape, *b = pair->b->shape;
    CnVec3 across = cn_vec3_sub(pair->b->pose.position, pair->a->pose.position);
    double reach = a->extent + b->extent + pair->margin;
    return cn_vec3_dot(across, across) > (1.0 + CN_APART_SLACK) * reach * reach &&
           a->type != CN_SHAPE_PLANE && b->type != CN_SHAPE_PLANE;
}

static bool is_apart(const PairKind* kind, const CnNarrowPair* pair, bool swapped) {
    return are_balls_apart(pair) || (kind->is_apart != NULL && kind->is_apart(pair, swapped));
}

bool cn_narrow_is_apart(const CnNarrowPair* pair) {
    bool swapped;
    const PairKind* kind = kind_of(pair, &swapped);
    return is_apart(kind, pair, swapped);
}

static bool is_still_apart(const CnNarrowPair* pair) {
    const float* axis = pair->memory->axis;
    CnVec3 direction = cn_vec3((double)axis[0], (double)axis[1], (double)axis[2]);
    return cn_still_apart(*pair->a, *pair->b, direction, pair->margin);
}

// A pair that has points is not searched along an old axis again until it is apart.
static void forget_axis(const CnNarrowPair* pair) {
    const float* axis = pair->memory->axis;
    if (axis[0] != 0.0f || axis[1] != 0.0f || axis[2] != 0.0f) {
        *pair->memory = (CnPairMemory){{0.0f, 0.0f, 0.0f}};
    }
}

static void remember_axis(const CnNarrowPair* pair) {
    CnNearest nearest = cn_nearest(*pair->a, *pair->b);
    bool apart = nearest.distance > pair->margin;
    CnVec3 axis = apart ? nearest.normal : cn_vec3(0.0, 0.0, 0.0);
    *pair->memory = (CnPairMemory){{(float)axis.x, (float)axis.y, (float)axis.z}};
}

// Shapes lie anywhere: those of so many pairs later are prefetched.
#define FETCHED_AHEAD 8

CnStatus cn_narrow_phase(const CnNarrowPair* pairs, int count, CnNarrowScratch* scratch,
                         CnNarrowResult* results) {
    int places = count * CN_MANIFOLD_POINTS;
    scratch->points.count = scratch->box_count = 0;
    if (!cn_array_reserve(&scratch->points, scratch->allocator, places)) {
        return CN_NO_MEMORY;
    }
    scratch->points.count = places; // points of surfaces are appended
    for (int i = 0; i < count; ++i) {
        const CnNarrowPair* pair = &pairs[i];
        bool swapped;
        if (i + FETCHED_AHEAD < count) {
            cn_fetch(pairs[i + FETCHED_AHEAD].a->shape);
            cn_fetch(pairs[i + FETCHED_AHEAD].b->shape);
        }
        const PairKind* kind = kind_of(pair, &swapped);
        bool remembers = kind->remembers_axis && pair->memory != NULL;
        results[i] = (CnNarrowResult){.has_one_normal = true};
        if (kind->collide != NULL && (pair->is_near || !is_apart(kind, pair, swapped)) &&
            !(remembers && is_still_apart(pair))) {
            if (!kind->collide(kind, pair, swapped, i, scratch, results)) {
                return CN_NO_MEMORY;
            }
            if (remembers && results[i].count == 0) {
                remember_axis(pair);
            } else if (remembers) {
                forget_axis(pair);
            }
        }
        if (scratch->box_count == CN_NARROW_BATCH || i + 1 == count) {
            aim_boxes(scratch);
            cn_collide_boxes(scratch->box_pairs, scratch->box_count, scratch->box_contacts);
            take_boxes(scratch, results);
        }
    }
    return CN_OK;
}

void cn_narrow_phase_place(const CnPlacedShape* shape, CnPlacedPolyhedron* polyhedron) {
    CnShapeType type = shape->shape->type;
    if (type == CN_SHAPE_BOX || type == CN_SHAPE_CONVEX) {
        cn_polyhedron_place(shape, polyhedron);
    }
}

void cn_narrow_scratch_init(CnNarrowScratch* scratch, const CnAllocator* allocator) {
    scratch->allocator = allocator;
    scratch->points = (CnManifoldPointArray){0};
    scratch->surface = (CnSurfaceScratch){0};
    scratch->box_count = 0;
}

void cn_narrow_scratch_destroy(CnNarrowScratch* scratch) {
    cn_array_free(&scratch->points, scratch->allocator);
    cn_array_free(&scratch->surface.candidates, scratch->allocator);
}

int cn_collide(CnPlacedShape a, CnPlacedShape b, double margin,
               CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnPlacedPolyhedron placed[2];
    CnNarrowPair pair = {&a, &b, &placed[0], &placed[1], margin, NULL, false};
    CnNarrowResult result = {0};
    CnNarrowScratch scratch;
    if (cn_shape_is_surface(a.shape) || cn_shape_is_surface(b.shape)) {
        return 0;
    }
    cn_narrow_scratch_init(&scratch, NULL);
    scratch.points.data = points;
    scratch.points.capacity = CN_MANIFOLD_POINTS; // all that two convex shapes need
    cn_narrow_phase_place(&a, &placed[0]);
    cn_narrow_phase_place(&b, &placed[1]);
    return cn_narrow_phase(&pair, 1, &scratch, &result) == CN_OK ? result.count : 0;
}
