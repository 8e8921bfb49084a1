// shape.h - a shape as the library keeps it: ready to be measured and met.
#pragma once

#include "cairn/shape.h"
#include "geometry/geometry.h"

typedef struct CnShape {
    CnShapeType type;
    CnTransform local;    // the shape's frame in that of its body, or of the centre of mass
    double radius;        // sphere, capsule, cylinder [m]
    double half_length;   // capsule: of its segment; cylinder: of its axis; along local z [m]
    CnVec3 half_size;     // box [m]
    CnVec3 normal;        // plane: in the shape's frame
    CnGeometry* geometry; // convex, mesh, height field: counted reference; NULL: only borrowed
    const CnHull* hull;   // convex: that of the geometry, about the shape's origin
    const CnTriangleMesh* mesh; // mesh: as hull
    const CnHeightField* field; // height field: as hull
    double extent;              // farthest point from the shape's origin [m]; 0 for a plane
    CnMaterialId material;      // none: that of the body
    bool sensor;                // touches nothing, has no mass
    uint32_t category, mask;
    int32_t group;
    uint64_t serial; // of two that look alike the lower one is first; 0: none, as passed
} CnShape;

// From a valid def, in the frame that the def is in; allocates for those made of points.
CnStatus cn_shape_make(const CnShapeDef* def, const CnAllocator* allocator, CnShape* shape,
                       CnError* error);

// The same with a geometry of the def's type, of which the shape is one more user.
void cn_shape_make_of(const CnShapeDef* def, CnGeometry* geometry, CnShape* shape);

void cn_shape_free(CnShape* shape, const CnAllocator* allocator);

// May two shapes touch, by category, mask and group?
static inline bool cn_shape_filter(const CnShape* a, const CnShape* b) {
    if (a->group != 0 && a->group == b->group) {
        return a->group > 0;
    }
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

// A shape somewhere in the world: pose is that of the shape's own frame. A plane is the half space
// normal . x <= 0 of its frame; all others but convex are centred on its origin.
typedef struct CnPlacedShape {
    const CnShape* shape;
    CnTransform pose;
} CnPlacedShape;

// body is the pose of the body's centre of mass.
static inline CnPlacedShape cn_shape_place(const CnShape* shape, CnTransform body) {
    CnPlacedShape placed = {
        shape,
        {cn_transform_point(body, shape->local.position),
         cn_quat_multiply(body.rotation, shape->local.rotation)},
    };
    return placed;
}
