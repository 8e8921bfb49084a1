// shape.h - geometry that can be fixed to a body.
#pragma once

#include "cairn/material.h"
#include "cairn/math.h"

typedef enum CnShapeType {
    CN_SHAPE_SPHERE, // radius, about position
    CN_SHAPE_PLANE,  // the half space below a plane: all x with (x - position) . normal <= 0; no
                     // mass
} CnShapeType;

// A shape in the frame of its body. Start from cn_shape_def_default().
typedef struct CnShapeDef {
    CnShapeType type;
    CnVec3 position;       // in body axes, from the body's origin [m]
    double radius;         // sphere [m]
    CnVec3 normal;         // plane: unit, points out of the solid side; default (0, 0, 1)
    CnMaterialId material; // none: that of the body
    uint32_t guard;
} CnShapeDef;

CN_API CnShapeDef cn_shape_def_default(CnShapeType type);
