// friction_polygon.h - the regular polygon that stands for the disc of friction in a pyramid.
//
// Its corners lie on the disc's edge, the first along the first tangent: no impulse inside it is
// more than the disc allows. docs/theory/pyramid.md (1).
#pragma once

#include "cairn/problem.h"

typedef struct CnFrictionPolygon {
    int sides;
    double corner[CN_MAX_PYRAMID_SIDES][2]; // of radius 1; one half is the other's negative [sides]
} CnFrictionPolygon;

// sides is even and at least 4.
void cn_friction_polygon_init(int sides, CnFrictionPolygon* polygon);

// out = the point nearest to p of the polygon with corners at `radius` >= 0; out may be p.
void cn_friction_polygon_project(const CnFrictionPolygon* polygon, double radius, const double p[2],
                                 double out[2]);
