// rim.h - the parts of a cylinder that face a direction.
#pragma once

#include "collision/round/closest.h"

#define CN_RIM_POINTS 4 // of a cap that stands on something, a quarter of a turn apart

typedef struct CnCylinderRims {
    CnVec3 centers[2]; // of the caps: that at -z, that at +z
    CnVec3 axis;       // unit, along +z
    CnVec3 facing_out; // unit, perpendicular to the axis: to the farthest rim points
    CnVec3 sideways;   // axis x facing_out
    double radius;     // [m]
    bool standing;     // the cap faces the direction more than the side does
    uint32_t facing;   // the cap that faces the direction
} CnCylinderRims;

// Points are relative to origin; direction is unit.
CnCylinderRims cn_cylinder_rims(CnPlacedShape cylinder, CnVec3 direction, CnVec3 origin);

// Point 0 is the farthest in the direction, the others follow around the axis.
CnVec3 cn_rim_point(const CnCylinderRims* rims, uint32_t end, uint32_t quarter);

static inline uint32_t cn_rim_feature(uint32_t end, uint32_t quarter) {
    return CN_RIM_POINTS * end + quarter;
}
