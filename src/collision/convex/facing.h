// facing.h - the part of a shape that faces a direction: a flat, a line or a point.
#pragma once

#include "collision/hull/clip.h"
#include "collision/round/closest.h"

typedef enum CnFacingKind {
    CN_FACING_POINT, // of a ball
    CN_FACING_LINE,  // the axis of a capsule, or the side of a cylinder
    CN_FACING_FLAT   // a face, or the cap of a cylinder
} CnFacingKind;

typedef struct CnFacing {
    CnFacingKind kind;
    CnSegment line;    // from the end at -z to that at +z
    double radius;     // of the ball that is rolled along the line [m]
    CnPolygon polygon; // of a flat; a cap is a polygon of CN_FACE_CORNERS on its rim
    CnVec3 normal;     // of a flat: unit, outward
    uint32_t feature;  // which flat of the shape
} CnFacing;

// The flat part of a shape that faces direction most, else a line or a point. All in the frame that
// pose is relative to.
void cn_shape_facing(CnPlacedShape placed, CnVec3 direction, CnFacing* facing);
