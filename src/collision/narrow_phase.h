// narrow_phase.h - the narrow phase: pairs of placed shapes in, contact points out.
//
// The only entry point of the collision layer for contact points. It knows every pair kind (one
// table in narrow_phase.c), groups pairs of boxes for the SIMD kernels, and skips pairs that are
// still apart along their last separating axis. docs/theory/collision/sat.md, gjk.md, meshes.md.
#pragma once

#include "collision/box/box_pairs.h"
#include "collision/broad/pair_set.h"
#include "collision/mesh/collide_surface.h"

// One pair to look at. The caller places each shape once per step, with cn_narrow_phase_place().
typedef struct CnNarrowPair {
    const CnPlacedShape *a, *b;
    const CnPlacedPolyhedron *polyhedron_a, *polyhedron_b; // read for boxes and hulls only
    double margin;        // points with a gap of at most this are wanted [m]
    CnPairMemory* memory; // separating axis from A to B, read and written; NULL: none is kept
    bool is_near;         // tests of cn_narrow_is_apart() are left out: they would seldom succeed
} CnNarrowPair;

// The points of one pair, in CnNarrowScratch.points: up to four for two convex shapes, any number
// for a mesh or height field.
typedef struct CnNarrowResult {
    int first, count;
    bool has_one_normal; // all of them share one normal, to the bit; true when there is none
} CnNarrowResult;

#define CN_NARROW_BATCH 64 // pairs of boxes that go to the SIMD kernels together

// Memory of one thread, kept from call to call.
typedef struct CnNarrowScratch {
    const CnAllocator* allocator;
    CnManifoldPointArray points; // cn_narrow_phase: what the results index; between the points of
                                 // two pairs there may be unused places
    CnSurfaceScratch surface;
    int box_count; // pairs of boxes that wait for a full batch
    int box_index[CN_NARROW_BATCH];
    CnBoxPair box_pairs[CN_NARROW_BATCH];
    CnBoxContact box_contacts[CN_NARROW_BATCH];
} CnNarrowScratch;

// The allocator must outlive the scratch; NULL: malloc.
void cn_narrow_scratch_init(CnNarrowScratch* scratch, const CnAllocator* allocator);
void cn_narrow_scratch_destroy(CnNarrowScratch* scratch);

// Prepares a shape for all pairs it is in: fills *polyhedron for boxes and hulls, which then points
// to *shape, and leaves it alone for other shapes.
void cn_narrow_phase_place(const CnPlacedShape* shape, CnPlacedPolyhedron* polyhedron);

// Whether a pair is certainly apart, by tests that cost little: it has no points then, as most
// pairs that have none.
bool cn_narrow_is_apart(const CnNarrowPair* pair);

// Contact points of all pairs, in their order. Fills results[count] and replaces scratch->points.
// The points of a pair do not depend on the other pairs of the call, on its memory, or on the
// processor, to the bit; so ranges of one list may be given to several threads, each with its own
// scratch. Lists of a few hundred pairs keep the points in the cache. With A and B swapped the
// points are the same with opposite normals. Pairs that cannot meet (planes and surfaces among
// themselves) have none. CN_OK or CN_NO_MEMORY.
CnStatus cn_narrow_phase(const CnNarrowPair* pairs, int count, CnNarrowScratch* scratch,
                         CnNarrowResult* results);
