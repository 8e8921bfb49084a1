// collide_surface.h - all contact points of a pair of shapes, be one of them a mesh.
#pragma once

#include "base/array.h"
#include "collision/collide.h"

// What a triangle offers, in the frame of the surface, with the normal out of it.
typedef struct CnSurfacePoint {
    CnManifoldPoint contact;
    bool hidden;   // its triangle is met elsewhere: counts if another vouches for its normal
    bool vouched;  // by itself: about as deep along the normal as the two overlap at all
    bool is_taken; // into a group
} CnSurfacePoint;

typedef CN_ARRAY(CnSurfacePoint) CnSurfacePointArray;

// The points of a pair and the memory it takes to find them, kept from pair to pair. One per
// thread.
typedef struct CnPairPoints {
    CN_ARRAY(CnManifoldPoint) points; // cn_collide_all: as those of cn_collide
    CnSurfacePointArray offered;      // scratch
    int triangles;                    // that the last pair looked at
} CnPairPoints;

// All points with a gap of at most margin [m]: the at most four of cn_collide, or of a surface four
// for every direction in which it is met. False: no memory. docs/theory/meshes.md.
bool cn_collide_all(CnPlacedShape a, CnPlacedShape b, double margin, const CnAllocator* allocator,
                    CnPairPoints* found);
void cn_pair_points_free(CnPairPoints* found, const CnAllocator* allocator);

// For cn_collide_all: merges what was offered into groups of four, in the world.
bool cn_surface_merge(CnTransform surface, double size, double sign, const CnAllocator* allocator,
                      CnPairPoints* found);
