// mass_properties.h - mass, centre and inertia of shapes and of what is made of them.
#pragma once

#include "cairn/body.h"
#include "geometry/shape.h"
#include "math/mat3.h"

// Of one shape of uniform density, about the origin that shape->local counts from. False for a
// shape without volume of its own (a plane, a mesh, a height field).
bool cn_shape_mass_properties(const CnShape* shape, double density, CnMassProperties* out);

// total += part: masses add, the centre is the weighted mean, inertias shift to it (Steiner).
void cn_mass_properties_add(CnMassProperties* total, const CnMassProperties* part);
