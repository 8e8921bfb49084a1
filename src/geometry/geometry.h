// geometry.h - hulls, meshes and height fields: built once, never changed, shared by shapes.
#pragma once

#include "cairn/shape.h"
#include "geometry/height_field.h"
#include "geometry/hull/hull.h"
#include "geometry/triangle_mesh.h"

// One of the three, about the origin of whatever shape uses it. Everyone who keeps a pointer to it
// counts as a reference; it goes with the last one.
typedef struct CnGeometry {
    CnShapeType type; // convex, mesh or height field
    CnHull* hull;
    CnTriangleMesh* mesh;
    CnHeightField* field;
    double extent; // farthest point from the origin [m]
    int references;
    int slot; // in the world that keeps it, -1: none
} CnGeometry;

// Whether shapes of this type have a geometry.
static inline bool cn_geometry_is_for(CnShapeType type) {
    return type == CN_SHAPE_CONVEX || type == CN_SHAPE_MESH || type == CN_SHAPE_HEIGHT_FIELD;
}

// From a valid def of such a type, with one reference.
CnStatus cn_geometry_build(const CnShapeDef* def, const CnAllocator* allocator,
                           CnGeometry** geometry, CnError* error);

// The same bits in memory of its own, with no reference yet and the same slot. NULL: no memory.
CnGeometry* cn_geometry_copy(const CnGeometry* geometry, const CnAllocator* allocator);

// One reference less; NULL does nothing.
void cn_geometry_drop(CnGeometry* geometry, const CnAllocator* allocator);
