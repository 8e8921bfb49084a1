// clouds.h - point sets whose convex hulls are degenerate in different ways.
#pragma once

#include "cairn/random.h"
#include "geometry/hull/hull.h"

typedef struct Cloud {
    const char* name;
    CnVec3 (*draw)(CnRandom* random); // one point [m]
    double scale;
    CnVec3 move; // after scaling [m]
    bool turned; // by a fixed rotation, before moving: flat faces become rough in the last bits
    int count;
} Cloud;

#define CLOUD_MAX_POINTS 2000
extern const Cloud clouds[];
extern const int cloud_count;

void cloud_points(const Cloud* cloud, uint64_t seed, CnVec3* points);

double largest_coordinate(const CnVec3* points, int count);

// How far a point may be above a face, and a vertex below the plane of its own [m]: 32 steps of the
// grid for flatness and 2 for rounding to it, each at most 2 epsilon of the largest coordinate, and
// 8 epsilon for measuring a height far from the origin.
double hull_tolerance(const CnVec3* points, int count);
