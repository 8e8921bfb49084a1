// bounds.h - axis-aligned boxes around shapes.
#pragma once

#include "collision/collide.h"
#include "geometry/box.h"

// The box around a placed shape, grown by margin on every side.
CnBounds cn_shape_bounds(CnPlacedShape placed, double margin);

bool cn_bounds_overlap(const CnBounds* a, const CnBounds* b);
