// collide_surface.h - contact points of a mesh or height field with a convex shape.
#pragma once

#include "collision/collide_pairs.h"

// A contact point of one triangle, in the frame of the surface, with the normal out of it.
typedef struct CnSurfacePoint {
    CnManifoldPoint contact;
    bool hidden;    // a neighbour covers it: kept only if another point has the same normal
    bool confirmed; // kept by its own depth: about as deep as the least overlap of the two
    bool is_taken;  // into a group
} CnSurfacePoint;

typedef CN_ARRAY(CnSurfacePoint) CnSurfacePointArray;

// Memory kept from pair to pair, one per thread.
typedef struct CnSurfaceScratch {
    CnSurfacePointArray candidates; // of the triangles of the last pair
    int triangles;                  // tested for the last pair
} CnSurfaceScratch;

// Adds all points with a gap of at most margin [m] to `points`: at most four for each normal, with
// normals from the surface to the convex shape. `kernel` finds the points of one triangle. False:
// no memory. docs/theory/collision/meshes.md.
bool cn_collide_surface(CnPlacedShape surface, CnPlacedShape convex, CnCollideFunction* kernel,
                        double margin, const CnAllocator* allocator, CnSurfaceScratch* scratch,
                        CnManifoldPointArray* points);

// Used by cn_collide_surface: merges the candidates into groups of four, in world coordinates.
bool cn_surface_merge(CnTransform surface, double size, CnSurfacePointArray* found,
                      const CnAllocator* allocator, CnManifoldPointArray* points);
