// shape.h - geometry that can be fixed to a body.
#pragma once

#include "cairn/material.h"
#include "cairn/math.h"

typedef enum CnShapeType {
    CN_SHAPE_SPHERE,       // radius
    CN_SHAPE_PLANE,        // the half space normal . x <= 0; no mass
    CN_SHAPE_BOX,          // size: full edges
    CN_SHAPE_CAPSULE,      // radius, length of its segment, along z
    CN_SHAPE_CYLINDER,     // radius, length, along z
    CN_SHAPE_CONVEX,       // hull of points
    CN_SHAPE_MESH,         // triangles, solid behind them; on bodies that forces do not move
    CN_SHAPE_HEIGHT_FIELD, // the ground below heights over a grid; as meshes
    CN_SHAPE_TYPE_COUNT
} CnShapeType;

// A hull, a mesh or a height field in a world: built once, never changed, shared by any number of
// shapes. See cn_geometry_create_hull() in body.h.
typedef struct CnGeometryId {
    uint32_t index, generation; // all zero: none
} CnGeometryId;

// A shape of a body in a world.
typedef struct CnShapeId {
    uint32_t index, generation; // all zero: none
} CnShapeId;

// A shape in the frame of its body, about its own position. Start from cn_shape_def_default().
// No coordinate of a mesh or height field may be beyond 1e75 m: normals would overflow.
typedef struct CnShapeDef {
    CnShapeType type;
    CnVec3 position;           // in body axes, from the body's origin [m]
    CnQuat rotation;           // from the shape's axes to body axes
    double radius;             // sphere, capsule, cylinder [m]
    double length;             // capsule: of its segment, without the caps; cylinder [m]
    CnVec3 size;               // box: full edges [m]
    CnVec3 normal;             // plane: unit, points out of the solid side; default (0, 0, 1)
    const CnVec3* points;      // convex, mesh: in the shape's axes, copied [m]   [point_count]
    int point_count;           // convex: at least 4, not all in one plane
    const int (*triangles)[3]; // mesh: points, counter-clockwise seen from outside; copied
                               // [triangle_count]
    int triangle_count;
    const double* heights; // height field: z over points of a grid, x fastest; copied [m]
    int columns, rows;     // height field: points along x and y, at least 2 each
                           // size.x, size.y: from the first to the last, about the origin [m]
    CnGeometryId geometry; // convex, mesh, height field: one that the world has already, in place
                           // of points, triangles, heights, columns, rows and size
    CnMaterialId material; // none: that of the body
    bool sensor;           // touches nothing, has no mass; its overlaps are events

    // Whom it may touch. Two shapes of the same group other than 0: always when the group is
    // positive, never when it is negative. All others: when each one's mask has a bit of the
    // other's category. Shapes of one body, of two bodies that nothing moves, and of excluded
    // pairs never touch.
    uint32_t category; // default 1
    uint32_t mask;     // default all bits
    int32_t group;     // default 0: none
    uint32_t guard;
} CnShapeDef;

CN_API CnShapeDef cn_shape_def_default(CnShapeType type);

// The surface of a shape as triangles, counter-clockwise seen from outside. The caller gives arrays
// and how much fits in them; the counts are all there are, also when not all of them fitted.
typedef struct CnTriangles {
    CnVec3* points;      // body axes, from the body's origin [m]   [point_capacity]
    int (*triangles)[3]; // numbers of points   [triangle_capacity]
    int point_capacity, triangle_capacity;
    int point_count, triangle_count; // set by the call
} CnTriangles;
